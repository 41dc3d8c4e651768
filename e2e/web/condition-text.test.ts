import { describe, expect, test } from 'vitest';
import { queryJson } from '../../src/domain/query/query-json.ts';
import { parseSearchText } from '../../src/domain/query/text-query.ts';
import { conditionText } from '../../web/src/features/call/condition-text.ts';
import { parseJson } from '../../web/src/format/json.ts';

const queryOf = (text: string) => parseJson(queryJson(parseSearchText(text))) as { $expr: unknown };

describe('the condition of a saved view in the words of the filter', () => {
  test.each([
    'refund "two words" status:error latency_ms>500',
    'attributes.uni.workflow.id:x not inputs.input.value:null inputs["a b"].c>1 inputs.messages[0].content~x',
    String.raw`attributes["a\"b"].$ref!=1 inputs.a.b.c<=2`,
    'op_name:answer not op_name:"a b" op_name:"Größe/1 🎈"',
    'inputs.a:1 inputs.a:"1" inputs.b:true inputs.b:"true" inputs.c:null inputs.d:-1.5e-7 inputs.e:107505301260286111 inputs.f:1.0',
    'trace_id:123 inputs.user_id:"true" inputs.x:">=" inputs.x:"or" inputs.x:"" not "and"',
    String.raw`inputs.a\.b~"it's \"quoted\"" or (output.score<=0.5 and not (model:gpt-4o or thread_id!=t))`,
  ])('%s is found again', (text) => {
    const written = conditionText(queryOf(text).$expr);
    expect(written).not.toBeNull();
    expect(queryOf(written!)).toEqual(queryOf(text));
  });

  test.each([
    { $contains: { input: { $getField: 'inputs.a' }, substr: { $literal: 'A' }, case_insensitive: false } },
    { $eq: [{ $getField: 'op_name' }, { $literal: 'answer' }] },
    { $gt: [{ $size: { $getField: 'inputs.a' } }, { $literal: 1 }] },
    { $eq: [{ $getField: 'thread_id' }, { $literal: 1 }] },
    { $eq: [{ $getField: 'status' }, { $literal: 'a field that the filter reads as another one' }] },
    { $and: [] },
    undefined,
  ])('is null for %j, which the filter cannot express', (operand) => {
    expect(conditionText(operand)).toBeNull();
  });
});
