import { expect, it, test } from 'vitest';
import { mapped } from '../testing/span.ts';

const call = (id: string) => ({ id, type: 'function', function: { name: 'weather', arguments: '{"city":"Paris"}' } });
const asked = { role: 'assistant', content: null, tool_calls: [call('c1')] };
const answered = { role: 'tool', content: 'sunny', tool_call_id: 'c1' };
const image = { type: 'image_url', image_url: { url: 'data:image/jpeg;base64,AAA' } };

/** The messages that become of a list in a convention's own shape. */
function messages(list: object[]) {
  const attributes = { 'gen_ai.operation.name': 'chat', 'gen_ai.input.messages': JSON.stringify(list) };
  return mapped({ attributes }).inputs['gen_ai.input.messages'];
}

test.each([
  [
    'OpenTelemetry',
    { role: 'assistant', parts: [{ type: 'tool_call', id: 'c1', name: 'weather', arguments: { city: 'Paris' } }] },
  ],
  ['OpenAI', asked],
  [
    'Anthropic',
    { role: 'assistant', content: [{ type: 'tool_use', id: 'c1', name: 'weather', input: { city: 'Paris' } }] },
  ],
  [
    'Bedrock',
    { role: 'assistant', content: [{ toolUse: { toolUseId: 'c1', name: 'weather', input: { city: 'Paris' } } }] },
  ],
  [
    'Vercel',
    {
      role: 'assistant',
      content: [{ type: 'tool-call', toolCallId: 'c1', toolName: 'weather', input: { city: 'Paris' } }],
    },
  ],
  ['responses', { type: 'function_call', call_id: 'c1', name: 'weather', arguments: '{"city":"Paris"}' }],
])('a call of a tool as %s writes it', (_name, message) => {
  expect(messages([message])).toEqual([asked]);
});

test.each([
  ['OpenTelemetry', { role: 'tool', parts: [{ type: 'tool_call_response', id: 'c1', response: 'sunny' }] }],
  ['OpenAI', answered],
  [
    'Anthropic',
    { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'c1', content: [{ type: 'text', text: 'sunny' }] }] },
  ],
  [
    'Bedrock',
    { role: 'user', content: [{ toolResult: { toolUseId: 'c1', status: 'success', content: [{ text: 'sunny' }] } }] },
  ],
  [
    'Vercel',
    { role: 'tool', content: [{ type: 'tool-result', toolCallId: 'c1', output: { type: 'text', value: 'sunny' } }] },
  ],
  ['responses', { type: 'function_call_output', call_id: 'c1', output: 'sunny' }],
])('the result of a tool as %s writes it', (_name, message) => {
  expect(messages([message])).toEqual([answered]);
});

test.each([
  ['OpenTelemetry', { type: 'blob', modality: 'image', mime_type: 'image/jpeg', content: 'AAA' }],
  ['Anthropic', { type: 'image', source: { type: 'base64', media_type: 'image/jpeg', data: 'AAA' } }],
  ['OpenAI', image],
  ['responses', { type: 'input_image', image_url: 'data:image/jpeg;base64,AAA' }],
])('an image as %s writes it', (_name, part) => {
  expect(messages([{ role: 'user', content: [{ type: 'text', text: 'look' }, part] }])).toEqual([
    { role: 'user', content: [{ type: 'text', text: 'look' }, image] },
  ]);
});

test.each([
  [
    'OpenTelemetry',
    {
      role: 'assistant',
      parts: [
        { type: 'reasoning', content: 'hm' },
        { type: 'text', content: 'so' },
      ],
    },
  ],
  [
    'Anthropic',
    {
      role: 'assistant',
      content: [
        { type: 'thinking', thinking: 'hm' },
        { type: 'text', text: 'so' },
      ],
    },
  ],
  ['chat completions', { role: 'assistant', reasoning_content: 'hm', content: 'so' }],
])('reasoning as %s writes it', (_name, message) => {
  expect(messages([message])).toEqual([{ role: 'assistant', content: 'so', reasoning_content: 'hm' }]);
});

it('reads the numbered keys of OpenInference, with text that looks like JSON as text', () => {
  const attributes = {
    'openinference.span.kind': 'LLM',
    'input.value': 'ChatMessage(role=<MessageRole.USER>)',
    'llm.input_messages.0.message.role': 'user',
    'llm.input_messages.0.message.contents.0.message_content.type': 'text',
    'llm.input_messages.0.message.contents.0.message_content.text': '{"a":1}',
    'llm.input_messages.1.message.role': 'assistant',
    'llm.input_messages.1.message.tool_calls.0.tool_call.id': 'c1',
    'llm.input_messages.1.message.tool_calls.0.tool_call.function.name': 'weather',
    'llm.input_messages.1.message.tool_calls.0.tool_call.function.arguments': '{"city":"Paris"}',
  };
  expect(mapped({ attributes }).inputs).toEqual({
    'llm.input_messages': [{ role: 'user', content: '{"a":1}' }, asked],
  });
});

it('puts instructions that come apart before the messages', () => {
  const attributes = {
    'gen_ai.operation.name': 'chat',
    'gen_ai.system_instructions': '[{"type":"text","content":"Be brief."}]',
    'gen_ai.input.messages': '[{"role":"user","parts":[{"type":"text","content":"hi"}]}]',
  };
  expect(mapped({ attributes }).inputs['gen_ai.input.messages']).toEqual([
    { role: 'system', content: 'Be brief.' },
    { role: 'user', content: 'hi' },
  ]);
});

it('joins the messages of all events of a span', () => {
  const name = 'gen_ai.client.inference.operation.details';
  const of = (key: string, value: object[]) => ({ name, attributes: { [key]: JSON.stringify(value) } });
  const events = [
    of('gen_ai.system_instructions', [{ type: 'text', content: 'Be brief.' }]),
    of('gen_ai.input.messages', [{ role: 'user', parts: [{ type: 'text', content: 'hi' }] }]),
    of('gen_ai.input.messages', [{ role: 'user', parts: [{ type: 'text', content: 'again' }] }]),
    of('gen_ai.output.messages', [{ role: 'assistant', parts: [{ type: 'text', content: 'yes' }] }]),
  ];
  const { inputs, output } = mapped({ attributes: { 'gen_ai.operation.name': 'chat' }, events });
  expect(inputs['gen_ai.input.messages'].map(({ content }: { content: string }) => content)).toEqual([
    'Be brief.',
    'hi',
    'again',
  ]);
  expect(output).toEqual({ 'gen_ai.output.messages': [{ role: 'assistant', content: 'yes' }] });
});

it('leaves what is not a list of messages as it is', () => {
  const attributes = {
    'gen_ai.operation.name': 'chat',
    'gen_ai.input.messages': 'plain',
    'gen_ai.output.messages': '["a"]',
  };
  expect(mapped({ attributes })).toMatchObject({
    inputs: { 'gen_ai.input.messages': 'plain' },
    output: { 'gen_ai.output.messages': ['a'] },
  });
});

it('reads messages that are JSON text in the body of an event', () => {
  const of = (name: string, body: object) => ({
    name,
    attributes: { 'gen_ai.system': 'openai', CHAT_MESSAGE_INDEX: 0, body: JSON.stringify(body) },
  });
  const events = [
    of('gen_ai.system.message', { role: 'system', content: 'Be brief.' }),
    of('gen_ai.user.message', { role: 'user', content: 'hi' }),
    of('gen_ai.choice', { message: asked, finish_reason: 'tool_calls', index: 0 }),
  ];
  const { inputs, output } = mapped({ attributes: { 'gen_ai.operation.name': 'chat' }, events });
  expect(inputs['gen_ai.input.messages']).toEqual([
    { role: 'system', content: 'Be brief.' },
    { role: 'user', content: 'hi' },
  ]);
  expect(output['gen_ai.output.messages']).toEqual([{ finish_reason: 'tool_calls', ...asked }]);
});

it('reads what functions returned beside a message', () => {
  const attributes = {
    'openinference.span.kind': 'LLM',
    'llm.input_messages.0.message.role': 'developer',
    'llm.input_messages.0.message.content': 'Be brief.',
    'llm.input_messages.1.message.role': 'function',
    'llm.input_messages.1.function.0': '{"name":"weather","content":"sunny","call_id":"c1","is_error":false}',
  };
  expect(mapped({ attributes }).inputs).toEqual({
    'llm.input_messages': [{ role: 'system', content: 'Be brief.' }, answered],
  });
});

it('prefers messages that say something', () => {
  const attributes = {
    'gen_ai.operation.name': 'chat',
    'gen_ai.output.messages': '[{"role":"assistant","parts":[],"finish_reason":"tool_calls"}]',
    'gen_ai.completion.0.function_call.name': 'weather',
    'gen_ai.completion.0.function_call.arguments': '{"city":"Paris"}',
  };
  const [message] = mapped({ attributes }).output['gen_ai.completion'];
  expect(message).toMatchObject({
    role: 'assistant',
    tool_calls: [{ function: { name: 'weather', arguments: '{"city":"Paris"}' } }],
  });
  expect(mapped({ attributes: { ...attributes, 'gen_ai.completion.0.function_call.name': '' } }).output).not.toEqual(
    {},
  );
});

test.each([
  ['input.value', { messages: [{ role: 'user', content: [{ type: 'text', text: 'hi' }] }], temperature: 1 }],
  [
    'langfuse.observation.input',
    { messages: [{ role: 'user', content: [{ type: 'text', text: 'hi' }] }], temperature: 1 },
  ],
])('shows the messages in %s of a request as such', (key, payload) => {
  const request = { 'openinference.span.kind': 'LLM', [key]: JSON.stringify(payload) };
  expect(mapped({ attributes: request }).inputs[key]).toEqual({
    messages: [{ role: 'user', content: 'hi' }],
    temperature: 1,
  });
  const step = { ...request, 'openinference.span.kind': 'CHAIN' };
  expect(mapped({ attributes: step }).inputs[key]).toEqual(payload);
});
