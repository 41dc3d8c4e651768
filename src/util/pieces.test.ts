import fc from 'fast-check';
import { expect, test } from 'vitest';
import { cutToPieces, insertPiece, type Pieces } from './pieces.ts';

function putTogether({ rest, cuttings }: Pieces): unknown {
  const whole = structuredClone(rest);
  for (const cutting of structuredClone(cuttings)) insertPiece(whole, cutting);
  return whole;
}

const numbers = (count: number) => Array.from({ length: count }, (_, i) => i);
const countOf = (value: unknown) => JSON.stringify(value).split(',').length;

test.each<[string, unknown]>([
  ['a long array', { batch: numbers(100_000) }],
  ['an array of arrays', numbers(300).map(() => numbers(300))],
  ['long arrays in long arrays', [numbers(50_000), { a: numbers(50_000), b: [] }, numbers(3)]],
  ['an object of many members', Object.fromEntries(numbers(50_000).map((i) => [`k${i}`, { i }]))],
  ['members that are heavy together', Object.fromEntries(numbers(5).map((i) => [`k${i}`, numbers(9_000)]))],
  ['long strings', numbers(100).map((i) => 'x'.repeat(i * 1000))],
])('%s is put together as it was, from small pieces', (_name, value) => {
  const original = structuredClone(value);
  const pieces = cutToPieces(value);
  expect(pieces.cuttings.length).toBeGreaterThan(0);
  for (const piece of [pieces.rest, ...pieces.cuttings]) expect(countOf(piece)).toBeLessThan(25_000);
  expect(putTogether(pieces)).toEqual(original);
});

test('small values are not cut', () => {
  expect(cutToPieces({ a: [1, { b: 'c' }] }).cuttings).toEqual([]);
});

test('any value is put together as it was', () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      const original = structuredClone(value);
      expect(putTogether(cutToPieces([value, numbers(12_000), value]))).toEqual([original, numbers(12_000), original]);
    }),
    { numRuns: 20 },
  );
});
