import { describe, expect, test } from 'vitest';
import { readJson } from '../testing/reference.ts';
import { Detokenizer } from './detokenizer.ts';
import { Tokenizer } from './tokenizer.ts';

const texts = readJson('awkward-texts.json') as string[];

describe.each(['smollm', 'llama3', 'qwen2', 'sentencepiece', 'metaspace'])('with the tokenizer %s', (name) => {
  const tokenizer = new Tokenizer(readJson(`tokenizers/${name}.json`) as any);

  test('joined pieces are the decoded whole, and no piece has a false U+FFFD [chat 159]', () => {
    for (const text of texts) {
      const ids = tokenizer.encode(text);
      const { pieces, whole } = stream(tokenizer, ids, false);
      const decoded = tokenizer.decode(ids);
      expect([decoded, ` ${decoded}`]).toContain(whole);
      if (!text.includes('\ufffd')) expect(pieces.filter((piece) => piece.includes('\ufffd'))).toEqual([]);
    }
  });
});

const tokenizer = new Tokenizer(readJson('tokenizers/smollm.json') as any);

test('shows special tokens on request [chat 148]', () => {
  const ids = tokenizer.encode('<|im_start|>a<|im_end|>');
  expect(stream(tokenizer, ids, false).whole).toBe('<|im_start|>a<|im_end|>');
  expect(stream(tokenizer, ids, true).whole).toBe('a');
});

test('added tokens that are not special stay', () => {
  const ids = tokenizer.encode('<think>a</think>');
  expect(stream(tokenizer, ids, true).whole).toBe('<think>a</think>');
});

test('a truncated character becomes one U+FFFD at the end', () => {
  const ids = tokenizer.encode('\u{1F98A}').slice(0, -1);
  expect(ids.length).toBeGreaterThan(0);
  const { pieces, whole } = stream(tokenizer, ids, true);
  expect(pieces.slice(0, -1).join('')).toBe('');
  expect(whole).toBe(tokenizer.decode(ids));
});

function stream(source: Tokenizer, ids: number[], skipSpecialTokens: boolean) {
  const detokenizer = new Detokenizer(source, { skipSpecialTokens });
  const pieces = [...ids.map((id) => detokenizer.push(id)), detokenizer.end()];
  return { pieces, whole: pieces.join('') };
}
