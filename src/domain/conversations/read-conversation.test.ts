import { expect, test } from 'vitest';
import { parseLossless } from '../../util/json/lossless.ts';
import type { Message, Part } from './conversation.ts';
import { previewOf } from './preview.ts';
import { conversationIn } from './read-conversation.ts';

const facts = { span: '', attributes: '{}', isEnded: true, exception: '' };

function read(inputs: unknown, output: unknown, more: Partial<typeof facts> = {}) {
  const tree = (value: unknown) => parseLossless(JSON.stringify(value));
  return conversationIn(tree(inputs), tree(output), { ...facts, ...more });
}

function lines(messages: Message[]): string[] {
  return messages.map(({ role, parts }) => `${role}: ${parts.map(line).join(' + ')}`);
}

function line(part: Part): string {
  if (part.type === 'tool_call') return `${part.name}()`;
  if (part.type === 'tool_result') return `→ ${part.result}`;
  return 'text' in part ? part.text : part.type;
}

const user = { role: 'user', content: 'Hi' };

test.each<[string, unknown, string[]]>([
  [
    'the message of Cohere beside its history, after its preamble',
    {
      ...{ message: 'No', preamble: 'Be brief.' },
      chat_history: [
        { role: 'USER', message: 'Hi' },
        { role: 'CHATBOT', message: 'Yes?' },
      ],
    },
    ['system: Be brief.', 'user: Hi', 'assistant: Yes?', 'user: No'],
  ],
  [
    'the question of a chain beside its history, unless the history ends with it',
    { question: 'No', chat_history: [user, { role: 'assistant', content: 'Yes?' }, { role: 'user', content: 'No' }] },
    ['user: Hi', 'assistant: Yes?', 'user: No'],
  ],
  ["Gemini's contents as one object without a role", { contents: { parts: [{ text: 'Hi' }] } }, ['user: Hi']],
  [
    "Gemini's contents as a list without roles",
    { contents: [{ parts: [{ text: 'Hi' }] }, { role: 'model', parts: [{ text: 'Yes?' }] }] },
    ['user: Hi', 'assistant: Yes?'],
  ],
  [
    'images of Ollama',
    { messages: [{ ...user, images: ['iVBORw0KGgoAAAANSUhEUgAAAEAAAABACAIAAAAlC+aJAAAATklEQVR42u3PMQ0AAAgDsPmX'] }] },
    ['user: Hi + image'],
  ],
  [
    "tools of Vercel's messages for pages",
    {
      messages: [
        user,
        {
          role: 'assistant',
          parts: [
            { type: 'step-start' },
            { type: 'tool-weather', toolCallId: 'a', state: 'output-available', input: { city: 'P' }, output: 'sun' },
            {
              type: 'dynamic-tool',
              toolName: 'map',
              toolCallId: 'b',
              state: 'output-error',
              input: {},
              errorText: 'no',
            },
            { type: 'tool-clock', toolCallId: 'c', state: 'input-available', input: {} },
            { type: 'text', text: 'Yes?' },
          ],
        },
      ],
    },
    ['user: Hi', 'assistant: weather() + → sun + map() + → no + clock() + Yes?'],
  ],
  [
    "a result of Bedrock's tools that is JSON",
    { messages: [{ role: 'user', content: [{ toolResult: { toolUseId: 'a', content: [{ json: 'sun' }] } }] }] },
    ['tool: → sun'],
  ],
  [
    'pairs',
    {
      messages: [
        ['system', 'Be brief.'],
        ['human', 'Hi'],
      ],
    },
    ['system: Be brief.', 'user: Hi'],
  ],
  [
    "LangChain's dictionaries",
    [
      { type: 'human', data: { content: 'Hi' } },
      { type: 'ai', data: { content: 'Yes?' } },
      { type: 'human', data: { content: 'No' } },
    ],
    ['user: Hi', 'assistant: Yes?', 'user: No'],
  ],
  [
    "Pydantic AI's history",
    {
      message_history: [
        {
          kind: 'request',
          parts: [
            { part_kind: 'system-prompt', content: 'Be brief.' },
            { part_kind: 'user-prompt', content: 'Hi' },
          ],
        },
        { kind: 'response', parts: [{ part_kind: 'tool-call', tool_name: 'f', args: {}, tool_call_id: 'a' }] },
        { kind: 'request', parts: [{ part_kind: 'tool-return', tool_name: 'f', content: 'x', tool_call_id: 'a' }] },
      ],
    },
    ['system: Be brief.', 'user: Hi', 'assistant: f()', 'tool: → x'],
  ],
  ["LlamaIndex's blocks", { messages: [{ role: 'user', blocks: [{ block_type: 'text', text: 'Hi' }] }] }, ['user: Hi']],
  [
    "Bedrock's parts",
    { system: [{ text: 'Be brief.' }], messages: [{ role: 'user', content: [{ text: 'Hi' }] }] },
    ['system: Be brief.', 'user: Hi'],
  ],
  ["Gemini's contents as a text", { model: 'm', contents: 'Hi' }, ['user: Hi']],
  ['a prompt of completions', { model: 'm', prompt: 'Hi' }, ['user: Hi']],
  ['a state of a graph inside arguments', { args: [{ messages: [user] }], kwargs: {} }, ['user: Hi']],
  ['JSON in a string', JSON.stringify({ messages: [user] }), ['user: Hi']],
])('reads %s', (_, inputs, expected) => {
  expect(lines(read(inputs, 'Hello.')!.input)).toEqual(expected);
});

test.each<[string, unknown, string[]]>([
  ['a text', 'Hello.', ['assistant: Hello.']],
  [
    "Anthropic's events",
    [
      { type: 'message_start', message: { role: 'assistant', content: [] } },
      { type: 'content_block_start', index: 0, content_block: { type: 'tool_use', id: 'a', name: 'f', input: {} } },
      { type: 'content_block_delta', index: 0, delta: { type: 'input_json_delta', partial_json: '{}' } },
      { type: 'content_block_delta', index: 1, delta: { type: 'text_delta', text: 'Hel' } },
      { type: 'content_block_delta', index: 1, delta: { type: 'text_delta', text: 'lo.' } },
    ],
    ['assistant: Hello. + f()'],
  ],
  [
    "the last of OpenAI's events",
    [
      { type: 'response.created', response: { id: 'r' } },
      {
        type: 'response.completed',
        response: {
          output: [{ type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'Hello.' }] }],
        },
      },
    ],
    ['assistant: Hello.'],
  ],
  [
    "Gemini's chunks",
    ['Hel', 'lo.'].map((text) => ({ candidates: [{ content: { parts: [{ text }] } }] })),
    ['assistant: Hello.'],
  ],
  ['strings', ['Hel', 'lo.'], ['assistant: Hello.']],
  [
    'calls of tools that the provider runs',
    {
      output: [
        { type: 'web_search_call', id: 'w', action: { query: 'x' } },
        { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'Hello.' }] },
      ],
    },
    ['assistant: web_search() + Hello.'],
  ],
  ['a structured answer', { city: 'Paris', sunny: true, degrees: 21 }, ['assistant: json']],
  ['images', { created: 1, data: [{ b64_json: 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAf' }] }, ['assistant: image']],
])('reads the answer from %s', (_, output, expected) => {
  expect(lines(read({ messages: [user] }, output)!.output)).toEqual(expected);
});

test('what an agent reports twice is there once', () => {
  const answer = { role: 'assistant', content: 'Hello.' };
  expect(read({ messages: [user, answer] }, 'Hello.')).toMatchObject({ input: [{}], output: [{}] });
  expect(read({ messages: [user] }, { messages: [user, answer] })).toMatchObject({ input: [{}], output: [{}] });
  expect(read({ messages: [user, answer] }, null)).toMatchObject({ input: [{}], output: [{}] });
  expect(read({ messages: [user, answer] }, null, { exception: 'x' })).toMatchObject({ input: [{}, {}], output: [] });
});

test.each<[string, unknown, unknown]>([
  ['numbers', { a: 1, b: 2 }, 3],
  ['people with roles', { people: [{ role: 'admin', name: 'x' }] }, 'ok'],
  ['texts of several fields', { city: 'Paris', country: 'France' }, 'ok'],
  ['nothing', {}, null],
])('finds no conversation in %s', (_, inputs, output) => {
  expect(read(inputs, output)).toBeNull();
});

test.each<[string, string, string, string, string]>([
  ['digits', '{"order":107505301260286111,"price":1.0}', '"ok"', 'order: 107505301260286111 · price: 1.0', 'ok'],
  ['arguments of decorators', '{"args":["Paris"],"kwargs":{}}', '"\\"sunny\\""', 'Paris', 'sunny'],
  [
    'calls of tools',
    '{"messages":[{"role":"user","content":"Hi"}]}',
    '{"role":"assistant","tool_calls":[{"function":{"name":"f","arguments":"{\\"x\\":1.50}"}}]}',
    'Hi',
    'f(x: 1.50)',
  ],
  ['several lines', '"a\\n\\n  b"', `"${'x'.repeat(300)}"`, 'a b', `${'x'.repeat(240)}…`],
  ['nothing', '{}', '', '', ''],
])('previews %s', (_, inputs, output, input, answer) => {
  expect(previewOf({ inputs, output, ...facts })).toEqual({ input, output: answer });
});
