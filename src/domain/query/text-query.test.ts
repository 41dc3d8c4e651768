import { expect, test } from 'vitest';
import { parseSearchText, parseTextQuery } from './text-query.ts';

const field = (path: string) => ({ kind: 'field', path });
const literal = (type: string, value?: unknown) => ({
  kind: 'literal',
  literal: value === undefined ? { type } : { type, value },
});
const compare = (kind: string, path: string, right: object) => ({ kind, left: field(path), right });

test.each([
  ['thread_id:5', compare('eq', 'thread_id', literal('string', '5'))],
  ['inputs.x=5', compare('eq', 'inputs.x', literal('int', 5n))],
  ['inputs.x = "5"', compare('eq', 'inputs.x', literal('string', '5'))],
  ['output.score>=.5', compare('gte', 'output.score', literal('float', 0.5))],
  ['output.huge:1e400', compare('eq', 'output.huge', literal('string', '1e400'))],
  ['inputs.stream:true', compare('eq', 'inputs.stream', literal('bool', true))],
  ['exception:null', compare('eq', 'exception', literal('null'))],
  ['status!=error', { kind: 'not', operand: compare('eq', 'summary.weave.status', literal('string', 'error')) }],
  [
    'model:wandb-artifact:///e/p/agent:step3',
    compare('eq', 'inputs.model', literal('string', 'wandb-artifact:///e/p/agent:step3')),
  ],
  [
    'feedback.[wandb.runnable.is-good].payload.output<1',
    compare('lt', 'feedback.[wandb.runnable.is-good].payload.output', literal('int', 1n)),
  ],
  [
    String.raw`inputs.q ~ 'it\'s (new)'`,
    { kind: 'contains', input: field('inputs.q'), substr: literal('string', "it's (new)"), isCaseInsensitive: true },
  ],
])('reads %s', (text, operation) => {
  expect(parseTextQuery(text)).toEqual(operation);
});

test.each([
  ['inputs.value', ['inputs.value']],
  ['inputs.input.value', ['inputs.input.value', String.raw`inputs.input\.value`]],
  [
    'attributes.uni.workflow.id',
    [
      'attributes.uni.workflow.id',
      String.raw`attributes.uni\.workflow.id`,
      String.raw`attributes.uni\.workflow\.id`,
      String.raw`attributes.uni.workflow\.id`,
    ],
  ],
  [String.raw`inputs.a\.b.c`, [String.raw`inputs.a\.b.c`]],
  ['inputs["a.b"].c', [String.raw`inputs.a\.b.c`]],
  [String.raw`inputs["a \"b\" ]:"].$ref`, ['inputs.a "b" ]:.$ref']],
  ['inputs.messages[0].content', ['inputs.messages.0.content']],
  ['summary.weave.status', ['summary.weave.status']],
  ['feedback.[*].payload.note', ['feedback.[*].payload.note']],
])('the path %s represents the fields in which a dot is part of a key', (path, fields) => {
  const operands = fields.map((each) => compare('eq', each, literal('int', 1n)));
  const found = operands.length === 1 ? operands[0] : { kind: 'or', operands };
  expect(parseTextQuery(`${path}:1`)).toEqual(found);
  expect(parseTextQuery(`${path}!=1`)).toEqual({ kind: 'not', operand: found });
});

test('nothing is at a path if nothing is in any of its fields', () => {
  const operands = ['inputs.a.b', String.raw`inputs.a\.b`].map((each) => compare('eq', each, literal('null')));
  expect(parseTextQuery('inputs.a.b:null')).toEqual({ kind: 'and', operands });
});

test('finds an op by its name, even if an SDK stored a ref', () => {
  const substr = literal('string', '/op/answer:');
  expect(parseTextQuery('op_name:answer')).toEqual({
    kind: 'or',
    operands: [
      compare('eq', 'op_name', literal('string', 'answer')),
      { kind: 'contains', input: field('op_name'), substr, isCaseInsensitive: false },
    ],
  });
  expect(parseTextQuery('op_name:weave:///e/p/op/answer:v1')).toMatchObject({ kind: 'eq' });
  expect(parseTextQuery('op_name:"Größe/1 🎈"')).toMatchObject({
    operands: [
      compare('eq', 'op_name', literal('string', 'Größe/1 🎈')),
      { kind: 'contains', substr: literal('string', '/op/Größe/1 🎈:') },
      { kind: 'contains', substr: literal('string', '/op/Gr%C3%B6%C3%9Fe%2F1%20%F0%9F%8E%88:') },
      compare('eq', 'attributes.otel_span.name', literal('string', 'Größe/1 🎈')),
    ],
  });
});

test('joins conditions: not before and, and before or, brackets before all', () => {
  const test = (path: string) => compare('eq', path, literal('int', 1n));
  const [a, b, c] = ['a', 'b', 'c'].map(test);
  expect(parseTextQuery('a:1 or b:1 AND not c:1')).toEqual({
    kind: 'or',
    operands: [a, { kind: 'and', operands: [b, { kind: 'not', operand: c }] }],
  });
  expect(parseTextQuery('(a:1 or b:1)and(c:1)')).toEqual({
    kind: 'and',
    operands: [{ kind: 'or', operands: [a, b] }, c],
  });
});

test.each([
  ['', 'found the end, expected a field, such as op_name'],
  ['op_name', 'found the end, expected one of'],
  ['op_name: ', 'found the end, expected a value'],
  ['a:1 b:2', 'found "b:2", expected and, or, or the end'],
  ['(a:1', 'found the end, expected a closing bracket'],
  ['a:1 and', 'found the end, expected a field'],
  ['a:"x', 'found ""x", expected a value'],
  ['=1', 'found "=1", expected a field'],
])('reports the position of the syntax error in %j', (text, message) => {
  expect(() => parseTextQuery(text)).toThrow(message);
});

function anywhere(word: string) {
  const fields = ['inputs', 'output', 'op_name', 'display_name', 'exception'].map(field);
  const operands = fields.map((input) => ({
    ...{ kind: 'contains', input, substr: literal('string', word), isCaseInsensitive: true },
  }));
  return { kind: 'or', operands };
}

test.each([
  ['refund', anywhere('refund')],
  ["can't", anywhere("can't")],
  ['"two words"', anywhere('two words')],
  ['42', anywhere('42')],
  ['<b>', anywhere('<b>')],
  ['a b', { kind: 'and', operands: [anywhere('a'), anywhere('b')] }],
  ['a or b', { kind: 'or', operands: [anywhere('a'), anywhere('b')] }],
  ['not a', { kind: 'not', operand: anywhere('a') }],
  ['(a) x:1', { kind: 'and', operands: [anywhere('a'), compare('eq', 'x', literal('int', 1n))] }],
])('a search for %s looks for its words anywhere', (text, operation) => {
  expect(parseSearchText(text)).toEqual(operation);
});

test('a search that cannot be read is reported', () => {
  expect(() => parseSearchText('(a')).toThrow('found the end, expected a closing bracket');
  expect(() => parseSearchText('x:')).toThrow('found the end, expected a value');
  expect(() => parseSearchText(')')).toThrow('expected a value');
});
