import { describe, expect, test } from 'vitest';
import { readJson } from '../testing/reference.ts';
import { Tokenizer } from '../tokenizer/tokenizer.ts';
import { logprobEntry, promptLogprobs } from './logprob-entries.ts';

const texts = readJson('awkward-texts.json') as string[];
const ranked = (id: number) => ({ id, logprob: -1, rank: 1 });

describe.each(['smollm', 'sentencepiece'])('with the tokenizer %s', (name) => {
  const tokenizer = new Tokenizer(readJson(`tokenizers/${name}.json`) as any);
  const entries = (ids: number[]) =>
    ids.map((id, index) => logprobEntry(tokenizer, ids.slice(0, index), { token: ranked(id), top: [] }));

  test('joined bytes and joined tokens are the text, without false U+FFFD [chat 139 140]', () => {
    for (const text of texts) {
      const ids = tokenizer.encode(text);
      const decoded = tokenizer.decode(ids);
      const found = entries(ids);
      expect([decoded, ` ${decoded}`]).toContain(Buffer.from(found.flatMap((entry) => entry.bytes)).toString('utf8'));
      expect([decoded, ` ${decoded}`]).toContain(found.map((entry) => entry.token).join(''));
    }
  });
});

const tokenizer = new Tokenizer(readJson('tokenizers/smollm.json') as any);

test('names tokens and alternatives by their ids on request [chat 141]', () => {
  const entry = logprobEntry(tokenizer, [], { token: ranked(20), top: [ranked(20), ranked(21)] }, true);
  expect([entry.token, ...entry.top_logprobs.map((other) => other.token)]).toEqual([
    'token_id:20',
    'token_id:20',
    'token_id:21',
  ]);
  expect(entry.top_logprobs[1]!.bytes).toEqual([...tokenizer.bytesOf(21)]);
});

test('prompt_logprobs begin with null and have ids as keys [chat 143]', () => {
  const prompt = tokenizer.encode('Hi');
  const found = promptLogprobs(tokenizer, prompt, [[ranked(prompt[1]!), { id: 30, logprob: -2, rank: 2 }]]);
  expect(found[0]).toBeNull();
  expect(Object.keys(found[1]!).sort()).toEqual([String(prompt[1]), '30'].sort());
  expect(found[1]![prompt[1]!]).toEqual({ logprob: -1, rank: 1, decoded_token: tokenizer.decode([prompt[1]!]) });
});
