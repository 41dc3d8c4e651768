import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { answerOf, type JoinedAnswer, type OutputDelta } from './deltas.ts';
import { outputParser, tokensShownToParser } from './output-parser.ts';
import { toolFormatOf } from './tool-format.ts';

const hermes = 'template with <tool_call>';
const llama = 'template with ipython';
const mistral = 'template with [TOOL_CALLS]';
const thinking = 'template with <tool_call> and </think>';
const call = (name: string, args: string) => ({ name, arguments: args });

const qwenCoder = 'template with <tool_call>, <function= and <parameter=';
const phi4 = 'template with <|tool_call|>';
const gemma = 'template with <|tool_call>call:';
const functionGemma = 'template with <start_function_call>';

const parameters = {
  type: 'object',
  properties: {
    s: { type: 'string' },
    n: { type: 'number' },
    list: { type: 'array' },
    either: { anyOf: [{ type: 'integer' }, { type: 'string' }] },
    flag: { type: 'boolean' },
  },
};
const tools = ['f', 'g'].map((name) => ({
  type: 'function',
  function: { name, parameters: JSON.stringify(parameters) },
}));

type Case = {
  what: string;
  template: string;
  text: string;
  prompt?: string;
  content?: string;
  reasoning?: string;
  calls?: { name: string; arguments: string }[];
  /** A call was cut or is not JSON, so that the answer does not finish with calls. */
  isUnended?: boolean;
};

const cases: Case[] = [
  { what: 'plain text', template: hermes, text: 'Hello <b> {"a": 1}\n', content: 'Hello <b> {"a": 1}\n' },
  {
    what: 'a call of Qwen3-Coder',
    template: qwenCoder,
    text: 'Let me see.\n\n<tool_call>\n<function=f>\n<parameter=s>\n 12 <b>\n\n</parameter>\n<parameter=n>\n107505301260286111\n</parameter>\n<parameter=list>\n["a", {"b": 1.0}]\n</parameter>\n</function>\n</tool_call>',
    content: 'Let me see.',
    calls: [call('f', '{"s": " 12 <b>\\n", "n": 107505301260286111, "list": ["a", {"b": 1.0}]}')],
  },
  {
    what: 'two calls of Qwen3-Coder, with alternatives, words of Python and an unknown parameter',
    template: qwenCoder,
    text: '<tool_call>\n<function=f>\n<parameter=either>\n12\n</parameter>\n<parameter=flag>\nTrue\n</parameter>\n</function>\n</tool_call>\n<tool_call>\n<function=g>\n<parameter=either>\ntwelve\n</parameter>\n<parameter=x>\n1\n</parameter>\n</function>\n</tool_call>',
    calls: [call('f', '{"either": 12, "flag": true}'), call('g', '{"either": "twelve", "x": "1"}')],
  },
  {
    what: 'a call of Qwen3-Coder without parameters',
    template: qwenCoder,
    text: '<tool_call>\n<function=f>\n</function>\n</tool_call>',
    calls: [call('f', '{}')],
  },
  {
    what: 'a call of Qwen3-Coder that is cut off',
    isUnended: true,
    template: qwenCoder,
    text: 'Sure.\n<tool_call>\n<function=f>\n<parameter=s>\nlon',
    content: 'Sure.\n<tool_call>\n<function=f>\n<parameter=s>\nlon',
  },
  {
    what: 'no call in the marks of Qwen3-Coder',
    isUnended: true,
    template: qwenCoder,
    text: '<tool_call>{"name": "f"}</tool_call>',
    content: '<tool_call>{"name": "f"}</tool_call>',
  },
  {
    what: 'calls of Phi-4-mini',
    template: phi4,
    text: '<|tool_call|>[{"name": "f", "arguments": {"a": 1}}, {"name": "g", "arguments": {}}]<|/tool_call|>',
    calls: [call('f', '{"a": 1}'), call('g', '{}')],
  },
  {
    what: 'a call of Gemma 4',
    template: gemma,
    text: '<|tool_call>call:f{s:<|"|>a, "b": {c}<|"|>,n:1.0,list:[<|"|>x<|"|>,{deep:true}],none:null,empty:{}}<tool_call|>',
    calls: [call('f', '{"s": "a, \\"b\\": {c}", "n": 1.0, "list": ["x", {"deep": true}], "none": null, "empty": {}}')],
  },
  {
    what: 'two calls of Gemma 4 after each other',
    template: gemma,
    text: '<|tool_call>call:f{}<tool_call|><|tool_call>call:g{n:-3}<tool_call|>',
    calls: [call('f', '{}'), call('g', '{"n": -3}')],
  },
  {
    what: 'a call of FunctionGemma',
    template: functionGemma,
    text: '<start_function_call>call:f{s:<escape>Tokyo<escape>,n:3}<end_function_call>',
    calls: [call('f', '{"s": "Tokyo", "n": 3}')],
  },
  {
    what: 'a call of Gemma 4 that is not closed',
    isUnended: true,
    template: gemma,
    text: '<|tool_call>call:f{s:<|"|>lon',
    content: '<|tool_call>call:f{s:<|"|>lon',
  },
  {
    what: 'text of a model whose format is unknown',
    template: 'template with tools and <arg_key> in <tool_call>',
    text: '<tool_call>f\n<arg_key>a</arg_key>',
    content: '<tool_call>f\n<arg_key>a</arg_key>',
  },
  {
    what: 'a Hermes call',
    template: hermes,
    text: '<tool_call>\n{"name": "f", "arguments": {"x": [1, "}"]}}\n</tool_call>',
    calls: [call('f', '{"x": [1, "}"]}')],
  },
  {
    what: 'text and two Hermes calls',
    template: hermes,
    text: 'Let me see.\n<tool_call>\n{"name": "f", "arguments": {}}\n</tool_call>\n<tool_call>{"arguments": {"q": "\\"<tool_call>"}, "name": "g"}</tool_call>',
    content: 'Let me see.',
    calls: [call('f', '{}'), call('g', '{"q": "\\"<tool_call>"}')],
  },
  {
    what: 'a list of calls, as SmolLM2 writes',
    template: hermes,
    text: '<tool_call>[{"name": "f", "arguments": {"a": 1}}, {"name": "g", "arguments": {"b": 2}}]</tool_call>',
    calls: [call('f', '{"a": 1}'), call('g', '{"b": 2}')],
  },
  {
    what: 'an unclosed Hermes call',
    template: hermes,
    text: '<tool_call>{"name": "f", "arguments": {"a": 1}}',
    calls: [call('f', '{"a": 1}')],
  },
  {
    what: 'a call without arguments',
    template: hermes,
    text: '<tool_call>{"name": "f"}</tool_call>',
    calls: [call('f', '{}')],
  },
  {
    what: 'arguments in a string',
    template: hermes,
    text: '<tool_call>{"name": "f", "arguments": "{\\"a\\": 1}"}</tool_call>',
    calls: [call('f', '{"a": 1}')],
  },
  {
    what: 'no JSON in a call',
    template: hermes,
    text: 'a <tool_call>call f!</tool_call>',
    content: 'a <tool_call>call f!</tool_call>',
  },
  {
    what: 'a bad call before a good one',
    template: hermes,
    text: '<tool_call>oops</tool_call><tool_call>{"name": "f", "arguments": {}}</tool_call>',
    content: '<tool_call>oops</tool_call>',
    calls: [call('f', '{}')],
  },
  {
    what: 'text after a call',
    template: hermes,
    text: '<tool_call>{"name": "f", "arguments": {}}</tool_call> Done.',
    content: ' Done.',
    calls: [call('f', '{}')],
  },
  ...['\n', '\n<tool_', '\n<tool_call>', '\n<tool_call>\n{"name": "g', '\n<tool_call>\n[{"na'].map((cut) => ({
    what: `a call and of another one ${JSON.stringify(cut)}`,
    template: hermes,
    text: `<tool_call>{"name": "f", "arguments": {}}</tool_call>${cut}`,
    calls: [call('f', '{}')],
  })),
  {
    what: 'half an end of a call',
    template: hermes,
    text: '<tool_call>{"name": "f", "arguments": {}}\n</tool_',
    calls: [call('f', '{}')],
  },
  {
    what: 'half a mark after text after a call',
    template: hermes,
    text: '<tool_call>{"name": "f", "arguments": {}}</tool_call> 1 <',
    content: ' 1 <',
    calls: [call('f', '{}')],
  },
  { what: 'a mark alone', template: hermes, text: 'x <tool_call>', content: 'x <tool_call>' },
  { what: 'half a mark', template: hermes, text: 'x <tool', content: 'x <tool' },
  {
    what: 'a Llama call',
    template: llama,
    text: '{"name": "f", "parameters": {"a": 1}}',
    calls: [call('f', '{"a": 1}')],
  },
  {
    what: 'two Llama calls',
    template: llama,
    text: '<|python_tag|>{"name": "f", "parameters": {"a": 1}}; {"name": "g", "parameters": {}}',
    calls: [call('f', '{"a": 1}'), call('g', '{}')],
  },
  {
    what: 'JSON that calls no tool',
    template: llama,
    text: '{"name": "Bob", "parameters": {"a": 1}}',
    content: '{"name": "Bob", "parameters": {"a": 1}}',
  },
  {
    what: 'JSON that is not a call',
    template: llama,
    text: ' {"answer": [1, 2]} ok',
    content: ' {"answer": [1, 2]} ok',
  },
  {
    what: 'braces later in a text',
    template: llama,
    text: 'It is {"name": "f", "parameters": {}}',
    content: 'It is {"name": "f", "parameters": {}}',
  },
  {
    what: 'Mistral calls in a list',
    template: mistral,
    text: '[TOOL_CALLS][{"name": "f", "arguments": {"a": 1}}, {"name": "g", "arguments": {}}]',
    calls: [call('f', '{"a": 1}'), call('g', '{}')],
  },
  {
    what: 'a Mistral list that is cut',
    template: mistral,
    text: '[TOOL_CALLS][{"name": "f", "arguments": {"a": 1}}, {"name": "g", "arg',
    calls: [call('f', '{"a": 1}')],
  },
  {
    what: 'Mistral calls by name',
    template: mistral,
    text: 'ok[TOOL_CALLS]f{"a": 1}[TOOL_CALLS]g[ARGS]{"b": 2}',
    content: 'ok',
    calls: [call('f', '{"a": 1}'), call('g', '{"b": 2}')],
  },
  {
    what: 'a call that is cut in its arguments',
    template: hermes,
    text: 'ok <tool_call>{"name": "f", "arguments": {"a": "lon',
    content: 'ok',
    calls: [call('f', '{"a": "lon')],
    isUnended: true,
  },
  {
    what: 'a later call that is cut in its arguments',
    template: hermes,
    text: '<tool_call>{"name": "f", "arguments": {}}</tool_call>\n<tool_call>{"name": "g", "arguments": {"a": "lon',
    calls: [call('f', '{}'), call('g', '{"a": "lon')],
    isUnended: true,
  },
  {
    what: 'a call that is cut before its arguments',
    template: hermes,
    text: '<tool_call>{"name": "f", "argu',
    content: '<tool_call>{"name": "f", "argu',
  },
  {
    what: 'a call whose arguments are not JSON',
    template: hermes,
    text: '<tool_call>{"name": "f", "arguments": {"a": oops}}</tool_call> then',
    content: '}}</tool_call> then',
    calls: [call('f', '{"a": oops')],
    isUnended: true,
  },
  {
    what: 'a bad mark after a call, and another call',
    template: hermes,
    text: '<tool_call>{"name": "f", "arguments": {}}</tool_call><tool_call>oops</tool_call><tool_call>{"name": "g", "arguments": {}}</tool_call>',
    content: '<tool_call>oops</tool_call>',
    calls: [call('f', '{}'), call('g', '{}')],
  },
  {
    what: 'a call with its arguments as a list in a string',
    template: hermes,
    text: '<tool_call>{"name": "f", "arguments": "[1]"}</tool_call>',
    content: '<tool_call>{"name": "f", "arguments": "[1]"}</tool_call>',
  },
  {
    what: 'a Llama call that is cut',
    template: llama,
    text: '{"name": "f", "parameters": {"a": [1, 2',
    calls: [call('f', '{"a": [1, 2')],
    isUnended: true,
  },
  {
    what: 'a Mistral mark without a call',
    template: mistral,
    text: '[TOOL_CALLS] hello there',
    content: '[TOOL_CALLS] hello there',
  },
  {
    what: 'reasoning and an answer',
    template: thinking,
    text: '<think>\nso\n\nit is\n</think>\n\nYes.',
    reasoning: 'so\n\nit is',
    content: 'Yes.',
  },
  {
    what: 'reasoning opened by the prompt',
    template: thinking,
    prompt: '<assistant>\n<think>\n',
    text: 'so\n</think>\n\nYes </think> no',
    reasoning: 'so',
    content: 'Yes </think> no',
  },
  { what: 'reasoning that is cut', template: thinking, text: '<think>\nso it', reasoning: 'so it' },
  { what: 'no reasoning', template: thinking, text: '<thin ice>', content: '<thin ice>' },
  { what: 'empty reasoning', template: thinking, text: '<think>\n\n</think>\n\nYes', content: 'Yes' },
  {
    what: 'reasoning and a call',
    template: thinking,
    text: '<think>x</think>\n<tool_call>\n{"name": "f", "arguments": {}}\n</tool_call>',
    reasoning: 'x',
    calls: [call('f', '{}')],
  },
];

describe.each(cases)('$what', (given) => {
  test('parses the whole answer', () => expectAnswer(given, parse(given, [given.text])));

  test('parses the answer in pieces of any size', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 0, max: given.text.length }), { maxLength: 12 }), (cuts) => {
        expectAnswer(given, parse(given, cutAt(given.text, cuts)));
      }),
      { numRuns: 60 },
    );
    expectAnswer(given, parse(given, Array.from(given.text)));
  });
});

test('a streamed call has its id and name once, then pieces of arguments', () => {
  const text = '<tool_call>{"name": "f", "arguments": {"long": "abc"}}</tool_call>';
  const deltas = parse({ template: hermes, text, what: '' }, Array.from(text));
  const calls = deltas.filter((delta) => delta.kind === 'tool_call');
  expect(calls[0]).toMatchObject({ index: 0, id: expect.stringMatching(/^call_\w{24}$/), name: 'f', arguments: '' });
  expect(calls.slice(1).every((delta) => delta.id === undefined && delta.name === undefined)).toBe(true);
  expect(calls.length).toBeGreaterThan(10);
});

test('parallel_tool_calls false keeps only the first call [chat 10]', () => {
  const text =
    '<tool_call>{"name": "f", "arguments": {}}</tool_call><tool_call>{"name": "g", "arguments": {}}</tool_call>';
  const toolCalls = { tools: [], parallel: false };
  const parser = outputParser({ chatTemplate: hermes, prompt: '', toolCalls });
  const answer = answerOf([...parser.push(text), ...parser.end()]);
  expect(answer.toolCalls.map((made) => made.function.name)).toEqual(['f']);
});

test('Mistral ids have nine letters and digits', () => {
  const given = { what: '', template: mistral, text: '[TOOL_CALLS]f{}' };
  expect(answerOf(parse(given, [given.text])).toolCalls[0]!.id).toMatch(/^[a-zA-Z0-9]{9}$/);
});

test('lists the special tokens that a parser reads', () => {
  const toolCalls = { tools: [], parallel: true };
  expect(tokensShownToParser({ chatTemplate: mistral, toolCalls })).toContain('[TOOL_CALLS]');
  expect(tokensShownToParser({ chatTemplate: thinking, toolCalls: null })).toEqual(['<think>', '</think>']);
  expect(tokensShownToParser({ chatTemplate: hermes, toolCalls: null })).toEqual([]);
});

test('without tools everything is content', () => {
  const parser = outputParser({ chatTemplate: hermes, prompt: '', toolCalls: null });
  expect(parser.push('<tool_call>{"name": "f"}')).toEqual([{ kind: 'content', text: '<tool_call>{"name": "f"}' }]);
});

test.each([
  ['hermes', '{{ messages }} <tool_call>'],
  ['hermes', '{{ messages }}'],
  ['qwen3_coder', '{{ tools }} <tool_call>\\n<function=name>'],
  ['phi4', '<|tool|>{{ tools }} <|tool_call|>'],
  ['gemma', '{{ tools }} <|tool_call>call:'],
  ['function_gemma', '{{ tools }} <start_function_call>call:'],
  ['mistral', '[AVAILABLE_TOOLS] {{ tools }} [TOOL_CALLS]'],
  ['llama3', '{{ tools }} Environment: ipython'],
  [undefined, '{{ tools }} <tool_call>name<arg_key>'],
  [undefined, '{% if tools %}<｜tool▁calls▁begin｜>{% endif %}'],
])('recognizes the format %s', (name, template) => {
  expect(toolFormatOf(template)?.name).toBe(name);
});

function parse(given: Case, pieces: string[]): OutputDelta[] {
  const toolCalls = { tools, parallel: true };
  const parser = outputParser({ chatTemplate: given.template, prompt: given.prompt ?? '', toolCalls });
  const deltas = [...pieces.flatMap((piece) => parser.push(piece)), ...parser.end()];
  expect(parser.hasUnendedCall ?? false).toBe(given.isUnended ?? false);
  return deltas;
}

function expectAnswer(given: Case, deltas: OutputDelta[]): void {
  const { content, reasoning, toolCalls }: JoinedAnswer = answerOf(deltas);
  expect({ content, reasoning, calls: toolCalls.map((made) => made.function) }).toEqual({
    content: given.content ?? '',
    reasoning: given.reasoning ?? null,
    calls: given.calls ?? [],
  });
}

function cutAt(text: string, cuts: number[]): string[] {
  const sorted = [0, ...cuts.sort((a, b) => a - b), text.length];
  return sorted.slice(1).map((end, index) => text.slice(sorted[index], end));
}
