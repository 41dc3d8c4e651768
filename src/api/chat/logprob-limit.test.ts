import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestServer, type TestServer } from '../testing/server.ts';
import { chatting, tokenId } from './testing/chat.ts';

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer({ HEDDLE_CHAT_LOGPROBS_MAX: '-1' });
});
afterAll(() => server.close());
const { chat, choice } = chatting(() => server);

const massOf = (entries: { logprob: number }[]) => entries.reduce((sum, { logprob }) => sum + Math.exp(logprob), 0);

test.each([
  ['greedy', {}],
  ['drawn', { temperature: 1, seed: 4 }],
])('-1 reports the whole vocabulary if the setting allows it: %s [chat 136]', async (_, more) => {
  const asked = { logprobs: true, max_tokens: 2, ...more };
  const { logprobs } = await choice({ ...asked, top_logprobs: -1 });
  for (const { top_logprobs: top, logprob } of logprobs!.content) {
    expect(massOf(top)).toBeCloseTo(1, 4);
    expect(top.some((each) => each.logprob === logprob)).toBe(true);
  }
  const beyond = await choice({ ...asked, top_logprobs: 1_000_000 });
  expect(beyond.logprobs).toEqual(logprobs);
});

test('the setting applies to logprobs of the prompt [chat 143 144]', async () => {
  const { prompt_logprobs: positions } = await chat({ prompt_logprobs: -1, max_tokens: 1 });
  for (const position of positions!.slice(1)) expect(massOf(Object.values(position!))).toBeCloseTo(1, 4);
});

test.each([
  ['frequency_penalty', (count: number) => 2 * count],
  ['presence_penalty', (count: number) => (count > 0 ? 2 : 0)],
])('%s lowers the logits of earlier tokens [chat 90 91 93]', async (field, penalty) => {
  const forced = {
    structured_outputs: { regex: '[ab]{12}' },
    allowed_token_ids: [tokenId('a'), tokenId('b')],
    max_tokens: 12,
  };
  const { logprobs } = await choice({ ...forced, [field]: 2, logprobs: true, top_logprobs: -1 });
  const counts = new Map<string, number>();
  for (const { token, top_logprobs: top } of logprobs!.content) {
    const single = top.filter((each) => each.token === 'a' || each.token === 'b');
    const scores = single.map((each) => each.logprob - penalty(counts.get(each.token) ?? 0));
    expect(token).toBe(single[scores.indexOf(Math.max(...scores))]!.token);
    counts.set(token, (counts.get(token) ?? 0) + 1);
  }
  expect(counts.size).toBe(2);
});
