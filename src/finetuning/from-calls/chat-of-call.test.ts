import { expect, test } from 'vitest';
import { chatOfCall, hasLogprobs, historyOfChat } from './chat-of-call.ts';

const ask = { role: 'user', content: 'Hi' };
const say = { role: 'assistant', content: 'Hello' };

function call(inputs: unknown, output: unknown, attributes: object = {}) {
  const [i, o, a] = [inputs, output, attributes].map((value) => JSON.stringify(value)) as [string, string, string];
  return { id: 'c', inputs: i, output: o, attributes: a, exception: '', endedAt: 1 };
}

function read(...of: Parameters<typeof call>) {
  const chat = chatOfCall(call(...of));
  if ('fault' in chat) throw new Error(chat.fault);
  return chat;
}

test.each([
  ['a completion', { messages: [ask] }, { choices: [{ message: say }] }],
  ['a span', { 'gen_ai.input.messages': [ask] }, { 'gen_ai.output.messages': [say] }],
  ['a message', { messages: [ask] }, say],
  ['all messages', { messages: [ask] }, [ask, say]],
])('reads a chat whose output is %s', (_, inputs, output) => {
  expect(read(inputs, output)).toMatchObject({ messages: [ask], choice: { message: say, finish_reason: 'stop' } });
});

test('a separate system message becomes the first message', () => {
  const { messages } = read({ system: 'Be brief.', messages: [ask] }, say);
  expect(messages).toEqual([{ role: 'system', content: 'Be brief.' }, ask]);
});

test('uses the model name that heddle recorded, then the requested one, then the one in the response', () => {
  const output = { model: 'c', choices: [{ message: say }] };
  const inputs = { model: 'b', messages: [ask] };
  expect(read(inputs, output, { heddle: { model: { name: 'a' } } }).model).toBe('a');
  expect(read(inputs, output).model).toBe('b');
  expect(read({ messages: [ask] }, output).model).toBe('c');
  expect(read({ messages: [ask] }, say).model).toBeNull();
});

test('keeps sampling parameters that change the distribution', () => {
  const sampling = { temperature: 0.7, top_p: 1, top_k: 0, min_p: 0, frequency_penalty: 0, seed: 5, n: 1 };
  const { choice } = read({ messages: [ask] }, { choices: [{ message: say }] }, { heddle: { sampling } });
  expect(choice.sampling).toEqual({ temperature: 0.7 });
});

test('a history has only the fields that training reads, with earlier answers as context', () => {
  const logprobs = { content: [{ token: 'a', bytes: [97], logprob: -1, top_logprobs: [{ token: 'b' }] }] };
  const exact = read(
    { messages: [ask, say, ask], tools: [{ type: 'function' }] },
    { prompt_token_ids: [1], choices: [{ message: say, token_ids: [2], logprobs, index: 0, stop_reason: null }] },
  );
  expect(hasLogprobs(exact)).toBe(true);
  const answer = { message: say, finish_reason: 'stop', call_id: 'c' };
  const tokens = { token_ids: [2], prompt_token_ids: [1], logprobs: { content: [{ logprob: -1 }] } };
  expect(historyOfChat(exact, true)).toEqual({
    messages_and_choices: [ask, { ...say, weight: 0 }, ask, { ...answer, ...tokens }],
    tools: [{ type: 'function' }],
  });
  expect(historyOfChat(exact, false).messages_and_choices.at(-1)).toEqual(answer);
  const named = read({ messages: [ask] }, { choices: [{ message: say, logprobs }] });
  const entry = { token: 'a', bytes: [97], logprob: -1 };
  expect(historyOfChat(named, true).messages_and_choices.at(-1)).toMatchObject({ logprobs: { content: [entry] } });
});

test.each([
  { type: 'image_url', image_url: { url: 'data:,a' } },
  { input_image: {} },
  { type: 'input_audio' },
  { type: 'file' },
])('a chat with a part that is not text is not trained on: %j', (part) => {
  const messages = [{ role: 'user', content: [{ type: 'text', text: 'What is it?' }, part] }];
  const tokens = { token_ids: [2], logprobs: { content: [{ logprob: -1 }] } };
  const output = { prompt_token_ids: [1], choices: [{ message: say, ...tokens }] };
  expect(chatOfCall(call({ messages }, output))).toEqual({
    fault: 'its messages have images or other parts that are not text',
  });
});
