import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { readJson, referenceAssets } from '../testing/reference.ts';
import { tokenizerJsonOfGguf } from './from-gguf.ts';
import { modelTextOfGguf } from './model-text.ts';
import { Tokenizer } from './tokenizer.ts';

type Expected = {
  texts: { ids: number[]; idsWithSpecial: number[]; decoded: string; decodedWithoutSpecial: string }[];
  ids: { ids: number[]; decoded: string }[];
};

const texts = readJson('awkward-texts.json') as string[];
const small = readJson('tokenizers.small.json') as Record<string, Expected>;
const full = readJson('tokenizers.full.json') as Record<string, Expected>;

describe.each(Object.keys(small))('the small tokenizer %s', (name) => {
  const tokenizer = new Tokenizer(readJson(`tokenizers/${name}.json`) as any);

  test('gives the ids and strings of the Rust library', () => expectAsRust(tokenizer, small[name]!));

  test('the bytes of tokens joined are the bytes of the text', () => {
    for (const { ids, decoded } of small[name]!.texts) {
      const bytes = Buffer.concat(ids.map((id) => tokenizer.bytesOf(id))).toString('utf8');
      expect([decoded, ` ${decoded}`]).toContain(bytes);
    }
  });
});

describe.each(Object.keys(full))('the real tokenizer %s', (name) => {
  const file = referenceAssets(name);
  test.skipIf(!file)('gives the ids and strings of the Rust library', async () => {
    const tokenizer = file!.endsWith('.gguf')
      ? await fromGguf(file!)
      : new Tokenizer(JSON.parse(readFileSync(file!, 'utf8')));
    expectAsRust(tokenizer, full[name]!);
  });
});

test('a sentencepiece vocabulary of a GGUF file gives the ids of its tokenizer.json', () => {
  const json = readJson('tokenizers/sentencepiece.json') as any;
  const tokenizer = new Tokenizer(tokenizerJsonOfGguf(asSentencepieceMetadata(json)));
  expectAsRust(tokenizer, small.sentencepiece!);
});

test('a byte-level vocabulary of a GGUF file gives the ids of its tokenizer.json', () => {
  for (const [name, pre] of [
    ['smollm', 'smollm'],
    ['llama3', 'llama-bpe'],
    ['qwen2', 'qwen2'],
  ] as const) {
    const json = readJson(`tokenizers/${name}.json`) as any;
    const { tokenizer } = modelTextOfGguf({
      'tokenizer.ggml.model': 'gpt2',
      'tokenizer.ggml.pre': pre,
      ...vocabularyMetadata(json),
      'tokenizer.ggml.merges': json.model.merges.map((merge: string[]) => merge.join(' ')),
      'tokenizer.ggml.bos_token_id': 0,
    });
    expectAsRust(tokenizer, small[name]!);
  }
});

test('reads lone surrogates as U+FFFD', () => {
  const tokenizer = new Tokenizer(readJson('tokenizers/smollm.json') as any);
  expect(tokenizer.encode('a\ud83d b')).toEqual(tokenizer.encode('a\ufffd b'));
});

test('names an unknown pre-tokenizer', () => {
  const metadata = { 'tokenizer.ggml.model': 'gpt2', 'tokenizer.ggml.pre': 'novel' };
  expect(() => tokenizerJsonOfGguf(metadata)).toThrow(/"novel".*heddle knows gpt-2/);
});

function expectAsRust(tokenizer: Tokenizer, expected: Expected): void {
  for (const [index, text] of texts.entries()) {
    const wanted = expected.texts[index]!;
    const found = {
      ids: tokenizer.encode(text),
      idsWithSpecial: tokenizer.encode(text, { addSpecialTokens: true }),
      decoded: tokenizer.decode(wanted.ids),
      decodedWithoutSpecial: tokenizer.decode(wanted.ids, { skipSpecialTokens: true }),
    };
    expect(found, `text ${index}: ${JSON.stringify(text)}`).toEqual(wanted);
  }
  if (tokenizer.coding === 'byte_fallback') return; // Rust replaces a whole run of bad bytes, we only the bad part.
  for (const { ids, decoded } of expected.ids) expect(tokenizer.decode(ids)).toBe(decoded);
}

function vocabularyMetadata(json: any): Record<string, unknown> {
  const tokens: string[] = [];
  for (const [token, id] of Object.entries(json.model.vocab)) tokens[id as number] = token;
  for (const { id, content } of json.added_tokens) tokens[id] = content;
  const types = tokens.map(() => 1);
  for (const { id, special } of json.added_tokens) types[id] = special ? 3 : 4;
  return { 'tokenizer.ggml.tokens': tokens, 'tokenizer.ggml.token_type': types };
}

/** Scores that rank tokens as the merges that make them, as a sentencepiece file has them. */
function asSentencepieceMetadata(json: any): Record<string, unknown> {
  const metadata = vocabularyMetadata(json);
  const made = new Map<string, number>();
  for (const [rank, merge] of json.model.merges.entries())
    if (!made.has(merge.join(''))) made.set(merge.join(''), -rank);
  return {
    ...metadata,
    'tokenizer.ggml.model': 'llama',
    'tokenizer.ggml.scores': (metadata['tokenizer.ggml.tokens'] as string[]).map((token) => made.get(token) ?? -1e6),
    'tokenizer.ggml.bos_token_id': 1,
  };
}

async function fromGguf(file: string): Promise<Tokenizer> {
  expect(existsSync(file)).toBe(true);
  const { gguf } = await import('@huggingface/gguf');
  return modelTextOfGguf((await gguf(file, { allowLocalFile: true })).metadata as any).tokenizer;
}
