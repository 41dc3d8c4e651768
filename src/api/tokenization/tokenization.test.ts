import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { testServer } from '../testing/server.ts';

const server = await testServer();

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

type Sent = { path: string; body?: { prompt?: string | number[][]; echo?: boolean } };

test('the requests of lm-eval get the values that it computes scores from', async () => {
  // Written by scripts/reference/lm_eval_requests.py.
  const file = new URL('../../../testing/lm-eval/requests.json', import.meta.url);
  const sent: Sent[] = JSON.parse(readFileSync(file, 'utf8'));
  const ids = new Map<unknown, number[]>();
  for (const { path, body } of sent) {
    const { status, json } = body ? await server.post(path, body) : await server.get(path);
    expect(status).toBe(200);
    if (path === '/tokenize') ids.set(body?.prompt, json.tokens);
    if (path === '/v1/chat/completions') expect(json.choices[0].message.content).toEqual(expect.any(String));
    if (path !== '/v1/completions') continue;
    const prompts = body!.prompt as number[][];
    expect(json.choices.map(({ index }: { index: number }) => index)).toEqual(prompts.map((_, index) => index));
    for (const [index, { text, logprobs }] of json.choices.entries()) {
      expect(text).toEqual(expect.any(String));
      if (!body!.echo) continue;
      // lm-eval adds up those of the continuation, without the token that was generated, and compares them with the best.
      expect(logprobs.token_logprobs).toHaveLength(prompts[index]!.length + 1);
      for (const [token, logprob] of logprobs.token_logprobs.entries()) {
        if (token === 0) expect(logprob).toBeNull();
        else
          expect(Math.max(...(Object.values(logprobs.top_logprobs[token]) as number[]))).toBeGreaterThanOrEqual(
            logprob,
          );
      }
    }
  }
  const [whole, context] = [
    'Question: What color is the sky?\nAnswer: blue',
    'Question: What color is the sky?\nAnswer:',
  ];
  expect(ids.get(whole)!.slice(0, ids.get(context)!.length)).toEqual(ids.get(context));
});
