import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestServer, type TestServer } from '../testing/server.ts';

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer();
});
afterAll(() => server.close());

const tokenize = (body: object) => server.post('/tokenize', body);
const model = 'heddle/tiny';
const messages = [{ role: 'user', content: 'Grüße, 東京!' }];

describe('tokenize and detokenize', () => {
  test.each(['Grüße, 東京!\n', ' a  b', 'x'.repeat(1000)])(
    'a text becomes ids and the same text again',
    async (prompt) => {
      const { json } = await tokenize({ model, prompt, add_special_tokens: false });
      expect(json).toEqual({
        count: json.tokens.length,
        max_model_len: expect.any(Number),
        tokens: expect.any(Array),
        token_strs: null,
      });
      expect(json.count).toBeGreaterThan(1);
      const back = await server.post('/detokenize', { model, tokens: json.tokens });
      expect(back).toMatchObject({ status: 200, json: { prompt } });
    },
  );

  test('the ids are those that a completion and a chat count and report', async () => {
    const { json: text } = await tokenize({ prompt: 'The sky is', return_token_strs: true });
    const completion = await server.post('/v1/completions', {
      ...{ model, prompt: 'The sky is', max_tokens: 1, return_token_ids: true },
    });
    expect(text.tokens).toEqual(completion.json.choices[0].prompt_token_ids);
    expect(text.token_strs).toHaveLength(text.count);
    const { json: conversation } = await tokenize({ model, messages });
    const chat = await server.post('/v1/chat/completions', { model, messages, max_tokens: 1, return_token_ids: true });
    expect(conversation.tokens).toEqual(chat.json.prompt_token_ids);
    expect(conversation.count).toBe(chat.json.usage.prompt_tokens);
  });

  test('a conversation without the beginning of an answer, and with another template', async () => {
    const whole = (await tokenize({ messages })).json;
    const open = (await tokenize({ messages, add_generation_prompt: false })).json;
    expect(open.count).toBeLessThan(whole.count);
    const plain = (await tokenize({ messages, chat_template: '{{ messages[0].content }}' })).json;
    expect(plain.tokens).toEqual(
      (await tokenize({ prompt: messages[0]!.content, add_special_tokens: false })).json.tokens,
    );
  });

  test.each([
    ['neither prompt nor messages', '/tokenize', {}, 400, 'prompt'],
    ['both', '/tokenize', { prompt: 'a', messages }, 400, 'prompt'],
    ['a prompt of another type', '/tokenize', { prompt: 5 }, 400, 'prompt'],
    ['no tokens', '/detokenize', {}, 400, 'tokens'],
    ['a token that is not in the vocabulary', '/detokenize', { tokens: [10_000_000] }, 400, 'tokens'],
    ['a negative token', '/detokenize', { tokens: [-1] }, 400, 'tokens'],
    ['an unknown model', '/tokenize', { model: 'none', prompt: 'a' }, 404, 'model'],
  ])('%s is refused', async (_, path, body, status, param) => {
    expect(await server.post(path, body)).toMatchObject({ status, json: { error: { param } } });
  });
});

test('the description of a tokenizer has its template, its special tokens and its size', async () => {
  const { json } = await server.get('/tokenizer_info');
  expect(json).toMatchObject({
    tokenizer_class: 'PreTrainedTokenizerFast',
    chat_template: expect.stringContaining('messages'),
    eos_token: expect.any(String),
    vocab_size: expect.any(Number),
  });
  const { json: end } = await tokenize({ prompt: json.eos_token, add_special_tokens: false });
  expect(end.tokens).toEqual([json.eos_token_id]);
  expect((await server.get('/tokenizer_info?model=none')).status).toBe(404);
});
