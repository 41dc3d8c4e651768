import { expect, test } from 'vitest';
import { isTokenChunk } from './token-chunk.ts';
import { completionChunk } from './wire.ts';

const logprobs = { tokens: ['token_id:5'], token_logprobs: [-0.5], top_logprobs: [{ 'token_id:5': -0.5 }] };
const choice = { index: 0, text: 'a', token_ids: [5], finish_reason: null, stop_reason: null, logprobs };

test('takes the chunks that most tokens come with', () => {
  for (const more of [
    {},
    { prompt_token_ids: [1, 2] },
    { finish_reason: 'stop', stop_reason: 7 },
    { logprobs: null },
  ]) {
    expect(isTokenChunk({ id: 'cmpl-1', choices: [{ ...choice, ...more }] })).toBe(true);
  }
});

test('takes nothing that the schema refuses', () => {
  const faults = [
    ...[{ index: 0.5 }, { index: '0' }, { text: null }, { token_ids: [1.5] }, { token_ids: 'a' }, { finish_reason: 1 }],
    ...[
      { stop_reason: 1.5 },
      { prompt_token_ids: ['a'] },
      { logprobs: 'a' },
      { logprobs: { ...logprobs, tokens: [1] } },
    ],
    ...[{ logprobs: { ...logprobs, token_logprobs: ['a'] } }, { logprobs: { ...logprobs, top_logprobs: [['a']] } }],
    { logprobs: { ...logprobs, top_logprobs: [{ a: 'b' }] } },
  ].map((fault) => ({ choices: [{ ...choice, ...fault }] }));
  for (const value of [...faults, { choices: [null] }, { choices: ['a'] }, { choices: {} }, {}, null, 'a']) {
    expect(completionChunk.safeParse(value).success, JSON.stringify(value)).toBe(false);
    expect(isTokenChunk(value), JSON.stringify(value)).toBe(false);
  }
});
