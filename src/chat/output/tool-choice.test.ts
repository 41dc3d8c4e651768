import { afterAll, expect, test } from 'vitest';
import { Grammars } from '../../engine/grammars/grammars.ts';
import { pool, requester } from '../../util/workers/testing/isolation.ts';
import { grammarVocabulary } from '../structured/grammar-vocabulary.ts';
import { readJson } from '../testing/reference.ts';
import { Tokenizer } from '../tokenizer/tokenizer.ts';
import { answerOf } from './deltas.ts';
import { outputParser } from './output-parser.ts';
import type { Tool } from './tool.ts';
import { requiredCall, type ToolChoice, toolChoiceOf } from './tool-choice.ts';
import { toolFormatOf } from './tool-format.ts';

const tools: Tool[] = [
  {
    type: 'function',
    function: {
      name: 'f',
      parameters: '{"type":"object","properties":{"a":{"type":"integer"}},"required":["a"]}',
    },
  },
  { type: 'function', function: { name: 'g', parameters: '{"type":"object","minProperties":1}' } },
];
const named = (name: string): ToolChoice => ({ type: 'function', function: { name } });
const refused = (message: RegExp) =>
  expect.objectContaining({
    kind: 'invalidInput',
    extra: { param: 'tool_choice' },
    message: expect.stringMatching(message),
  });

test('an absent tool_choice means auto with tools, none without [chat 60]', () => {
  expect([toolChoiceOf(undefined, tools), toolChoiceOf(undefined, [])]).toEqual(['auto', 'none']);
});

test('rejects a required call that is impossible [chat 61]', () => {
  expect(() => toolChoiceOf('required', [])).toThrow(refused(/no tools/));
  expect(() => toolChoiceOf(named('h'), tools)).toThrow(refused(/"h"/));
});

test('auto and none do not constrain the output', () => {
  expect(requiredCall(toolFormatOf(null), 'auto', tools, true)).toBeNull();
  expect(requiredCall(toolFormatOf(null), 'none', tools, true)).toBeNull();
});

const tokenizer = new Tokenizer(readJson('tokenizers/qwen2.json') as any);
const vocabulary = grammarVocabulary(tokenizer, [tokenizer.idOf('<|im_end|>')!]);
const grammars = new Grammars(pool);
afterAll(() => grammars.close());

test.each([
  [
    '<tool_call>',
    '<tool_call>\n{"name": "f", "arguments": {"a": 1}}\n</tool_call>',
    '<tool_call>\n{"name": "f", "arguments": {"a": "x"}}',
  ],
  ['ipython', '{"name": "f", "parameters": {"a": 1}}; {"name": "g", "parameters": {"any": []}}', 'Sure'],
  [
    '<function=',
    '<tool_call>\n<function=f>\n<parameter=a>\n1\n</parameter>\n</function>\n</tool_call>\n<tool_call>\n<function=g>\n<parameter=any>\n"g" <b>\n</parameter>\n</function>\n</tool_call>',
    '<tool_call>\n{"name": "f", "arguments": {"a": 1}}\n</tool_call>',
  ],
  ['<|tool_call|>', '<|tool_call|>[{"name": "f", "arguments": {"a": 1}}]<|/tool_call|>', '[{"name": "f"}]'],
  [
    '<|tool_call>',
    '<|tool_call>call:f{a:1}<tool_call|><|tool_call>call:g{any:[<|"|>"g" <b> {<|"|>,{x:null}]}<tool_call|>',
    '<|tool_call>call:f{a:<|"|>1<|"|>}<tool_call|>',
  ],
  [
    '<start_function_call>',
    '<start_function_call>call:g{any:<escape>"f", <end><escape>}<end_function_call>',
    '<start_function_call>call:g{}<end_function_call>',
  ],
  ['[TOOL_CALLS]', '[TOOL_CALLS][{"name": "f", "arguments": {"a": 1}}]', '[TOOL_CALLS]f{"a": 1}'],
])('with %s a required call has the form that is parsed', async (template, good, bad) => {
  const format = toolFormatOf(template);
  const constraint = requiredCall(format, 'required', tools, true)!.constraint;
  await grammars.check(vocabulary, constraint, { ...requester, field: 'tools' });
  expect(await lets(constraint, good)).toBe(true);
  expect(await lets(constraint, bad)).toBe(false);
  const parser = outputParser({
    chatTemplate: template,
    prompt: '',
    toolCalls: { tools, parallel: true },
  });
  expect(answerOf([...parser.push(good), ...parser.end()])).toMatchObject({
    content: '',
    toolCalls: { length: good.includes('"g"') ? 2 : 1 },
  });
});

test('rejects a required call in an unknown format, and of a tool whose name the format cannot write', () => {
  const required = (template: string, known: Tool[]) => requiredCall(toolFormatOf(template), 'required', known, true);
  expect(() => required('{{ tools }}', tools)).toThrow(refused(/does not know/));
  const spaced: Tool[] = [{ type: 'function', function: { name: 'my tool' } }];
  expect(() => required('<start_function_call>', spaced)).toThrow(refused(/"my tool"/));
});

test('a named tool is called exactly once', async () => {
  const constraint = requiredCall(toolFormatOf('ipython'), named('f'), tools, true)!.constraint;
  expect(await lets(constraint, '{"name": "f", "parameters": {"a": 1}}')).toBe(true);
  expect(await lets(constraint, '{"name": "g", "parameters": {}}')).toBe(false);
  expect(await lets(constraint, '{"name": "f", "parameters": {"a": 1}}; {"name": "f", "parameters": {"a": 1}}')).toBe(
    false,
  );
});

async function lets(constraint: Parameters<Grammars['open']>[1], text: string): Promise<boolean> {
  const session = await grammars.open(vocabulary, constraint);
  let isAllowed = true;
  for (const id of tokenizer.encode(text)) isAllowed &&= await session.accept(id);
  const mayEnd = session.mayEnd;
  session.close();
  return isAllowed && mayEnd;
}
