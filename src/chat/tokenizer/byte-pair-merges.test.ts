import { Tokenizer as LibraryTokenizer } from '@huggingface/tokenizers';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { readJson } from '../testing/reference.ts';
import { BytePairMerges } from './byte-pair-merges.ts';
import { Tokenizer } from './tokenizer.ts';

test.each(['smollm', 'llama3', 'qwen2', 'sentencepiece'])(
  'words are merged as the library merges them, with %s',
  (name) => {
    const json = readJson(`tokenizers/${name}.json`) as any;
    const library = new LibraryTokenizer(json, {}).model as unknown as { bpe: (word: string) => string[] };
    const merges = new BytePairMerges(json);
    const character = fc.constantFrom(...'aeinorst Ġ▁thequckbrown', 'é', '😀');
    fc.assert(
      fc.property(fc.string({ unit: character, maxLength: 80 }), (word) => {
        expect(merges.tokensOf(word)).toEqual(library.bpe(word));
      }),
      { numRuns: 300 },
    );
  },
);

test('rejects a tokenizer of another kind by name', () => {
  const json = readJson('tokenizers/smollm.json') as any;
  expect(() => new Tokenizer({ ...json, model: { ...json.model, type: 'Unigram' } })).toThrow(/Unigram/);
  expect(() => new Tokenizer({ ...json, decoder: { type: 'WordPiece' } })).toThrow(/WordPiece/);
  expect(() => new Tokenizer({ ...json, model: { ...json.model, end_of_word_suffix: '</w>' } })).toThrow(/suffix/);
});
