import { expect, test } from 'vitest';
import { cacheBytes, KvCache } from './kv-cache.ts';

const shape = { layers: 2, kvHeads: 2, headDim: 3, contextMax: 10_000 };
const slotBytes = cacheBytes(shape, 64);

test('keeps all rows while pools grow and sequences are removed and moved', () => {
  const cache = new KvCache(shape, 1e9);
  const lengths = new Map<number, number>();
  for (let round = 0; round < 400; round++) {
    const sequence = round % 7;
    if (round % 31 === 30) {
      cache.release(sequence);
      lengths.delete(sequence);
      continue;
    }
    const before = lengths.get(sequence) ?? 0;
    const tokens = 1 + ((round * 13) % 40);
    cache.append(rowsOf(sequence, before, tokens), [cache.reserve(sequence, before + tokens)!], tokens);
    lengths.set(sequence, before + tokens);
    for (const [each, length] of lengths) expect(cacheMatches(cache, each, length)).toBe(true);
  }
});

test('writes the sequences of a step and leaves others unchanged', () => {
  const cache = new KvCache(shape, 1e9);
  const [first, second, third] = [1, 2, 3].map((sequence) => cache.reserve(sequence, 1)!);
  cache.append(interleave([rowsOf(1, 0, 1), rowsOf(2, 0, 1), rowsOf(3, 0, 1)]), [first!, null, third!], 1);
  expect([first!.length, second!.length, third!.length]).toEqual([1, 0, 1]);
  expect(cacheMatches(cache, 1, 1) && cacheMatches(cache, 3, 1)).toBe(true);
});

test('a fork starts with the same rows and then diverges', () => {
  const cache = new KvCache(shape, 1e9);
  cache.append(rowsOf(1, 0, 300), [cache.reserve(1, 300)!], 300);
  expect(cache.fork(1, 2, 200)).toBe(true);
  expect(cache.find(2)!.length).toBe(200);
  cache.append(rowsOf(1, 300, 1), [cache.reserve(1, 301)!], 1);
  cache.append(rowsOf(1, 200, 5), [cache.reserve(2, 205)!], 5);
  cache.release(1);
  expect(valuesAt(cache, 2, 204)).toEqual(valuesOf(1, 204));
});

test('frees memory when sequences are removed', () => {
  const cache = new KvCache(shape, 1e9);
  for (let sequence = 0; sequence < 16; sequence++) cache.reserve(sequence, 10);
  expect(cache.bytes).toBe(16 * slotBytes);
  for (let sequence = 0; sequence < 14; sequence++) cache.release(sequence);
  expect(cache.bytes).toBeLessThanOrEqual(8 * slotBytes);
  cache.release(14);
  cache.release(15);
  expect(cache.bytes).toBe(0);
});

test('rejects a sequence that does not fit into memory, without any change', () => {
  const cache = new KvCache(shape, 3.5 * slotBytes);
  for (let sequence = 0; sequence < 3; sequence++) expect(cache.reserve(sequence, 50)).not.toBeNull();
  expect(cache.reserve(3, 1)).toBeNull();
  expect(cache.reserve(0, 65)).toBeNull();
  expect(cache.bytes).toBe(3 * slotBytes);
  cache.release(1);
  expect(cache.reserve(3, 1)).not.toBeNull();
});

test('moves a long sequence out of a pool of short ones; alone, it grows the pool', () => {
  const cache = new KvCache(shape, 1e9);
  for (let sequence = 0; sequence < 8; sequence++)
    cache.append(rowsOf(sequence, 0, 10), [cache.reserve(sequence, 10)!], 10);
  cache.reserve(0, 3000);
  expect(cache.find(0)!.pool.rows).toBe(3072);
  expect(cache.find(1)!.pool.rows).toBe(64);
  for (let sequence = 1; sequence < 8; sequence++) cache.release(sequence);
  cache.reserve(9, 100);
  cache.reserve(9, 400);
  expect(cache.find(9)!.pool.rows).toBe(448);
});

test('sequences of similar lengths share a pool, in any order', () => {
  const cache = new KvCache(shape, 1e9);
  const lengths = [60, 100, 170, 50];
  for (const [sequence, length] of lengths.entries()) {
    cache.append(rowsOf(sequence, 0, length), [cache.reserve(sequence, length)!], length);
  }
  expect(new Set(lengths.map((_, sequence) => cache.find(sequence)!.pool)).size).toBe(1);
  for (const [sequence, length] of lengths.entries()) expect(cacheMatches(cache, sequence, length)).toBe(true);
});

/** A number for each place of the cache, from sequence, position, layer, part, head and dimension. */
function valueAt(sequence: number, position: number, place: number): number {
  return sequence * 100_000 + position * 24 + place;
}

function rowsOf(sequence: number, first: number, tokens: number): Float32Array {
  const values: number[] = [];
  for (let block = 0; block < 8; block++) {
    for (let n = 0; n < tokens; n++) {
      for (let i = 0; i < 3; i++) values.push(valueAt(sequence, first + n, block * 3 + i));
    }
  }
  return Float32Array.from(values);
}

/** Combines one token of several sequences: `[layers, parts, B, heads, 1, dimensions]`. */
function interleave(sequences: Float32Array[]): Float32Array {
  const perPart = 6;
  return Float32Array.from(
    [0, 1, 2, 3].flatMap((part) =>
      sequences.flatMap((rows) => [...rows.subarray(part * perPart, (part + 1) * perPart)]),
    ),
  );
}

function valuesOf(sequence: number, position: number): number[] {
  return Array.from({ length: 24 }, (_, place) => valueAt(sequence, position, place));
}

function valuesAt(cache: KvCache, sequence: number, position: number): number[] {
  const { pool, slot } = cache.find(sequence)!;
  return [0, 1].flatMap((layer) => {
    const view = cache.view(pool, layer, slot, 1);
    return [view.keys, view.values].flatMap((part) =>
      [0, 1].flatMap((head) => [
        ...part.subarray((head * pool.rows + position) * 3, (head * pool.rows + position + 1) * 3),
      ]),
    );
  });
}

function cacheMatches(cache: KvCache, sequence: number, length: number): boolean {
  return [0, length >> 1, length - 1].every(
    (position) => valuesAt(cache, sequence, position).join() === valuesOf(sequence, position).join(),
  );
}
