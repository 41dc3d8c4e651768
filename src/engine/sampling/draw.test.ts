import fc from 'fast-check';
import { expect, test } from 'vitest';
import { drawToken, type Filters } from './draw.ts';
import { philox, seedOfChoice, seedOfRequest, uniformAt } from './random.ts';
import { argmax, kthLargest, topIds } from './select.ts';
import { plainKept } from './testing/plain.ts';

const off: Filters = { temperature: 1, minP: 0, topK: 0, topP: 1 };
const logit = fc.double({ min: -12, max: 12, noNaN: true }).map((value) => Math.fround(Math.round(value * 4) / 4));
const row = fc.array(fc.oneof({ weight: 9, arbitrary: logit }, fc.constant(-Infinity)), {
  minLength: 1,
  maxLength: 40,
});

test('the fast implementation has the same distribution as the plain one', () => {
  const filters = fc.record({
    temperature: fc.constantFrom(0.01, 0.5, 1, 2),
    minP: fc.constantFrom(0, 0.05, 0.7, 1),
    topK: fc.constantFrom(0, 1, 3, 10),
    // Values that no sum of the probabilities equals.
    topP: fc.constantFrom(1, 0.9137, 0.4871, 0.0193),
  });
  fc.assert(
    fc.property(row, filters, (logits, wanted) => {
      if (logits.every((value) => value === -Infinity)) return;
      const values = Float32Array.from(logits);
      let below = 0;
      for (const [id, probability] of [...plainKept(logits, wanted)].sort(([a], [b]) => a - b)) {
        if (probability > 1e-9) {
          const draw = drawToken(values, wanted, below + probability / 2)!;
          expect(draw).toEqual({ id, logprob: expect.closeTo(Math.log(probability), 9) });
        }
        below += probability;
      }
    }),
  );
});

test('top_k 1 is greedy when nothing is tied [chat 86]', () => {
  const logits = Float32Array.of(0.1, 3, -2, 2.9);
  for (const uniform of [0, 0.5, 0.999]) expect(idOf(logits, { ...off, topK: 1 }, uniform)).toBe(argmax(logits));
  expect(idOf(logits, { ...off, topK: 100 }, 0.999999)).toBe(3);
});

test('min_p 1 leaves only tokens tied with the best [chat 87]', () => {
  const logits = Float32Array.of(2, 1.999, 2, -1);
  expect(draws(logits, { ...off, minP: 1 })).toEqual(new Set([0, 2]));
});

test('top_p 0.5 draws only from the smallest set [chat 88]', () => {
  const logits = Float32Array.from([0.3, 0.4, 0.2, 0.1].map(Math.log));
  expect(draws(logits, { ...off, topP: 0.5 })).toEqual(new Set([0, 1]));
  expect(draws(logits, { ...off, topP: 0.39 })).toEqual(new Set([1]));
});

test('drawn frequencies match softmax [chat 89]', () => {
  const probabilities = [0.5, 0.25, 0.15, 0.07, 0.03];
  const logits = Float32Array.from(probabilities.map(Math.log));
  const counts = probabilities.map(() => 0);
  const n = 20_000;
  for (let index = 0; index < n; index++) counts[idOf(logits, off, uniformAt(11n, index))]!++;
  const chiSquare = probabilities.reduce((sum, p, id) => sum + (counts[id]! - n * p) ** 2 / (n * p), 0);
  expect(chiSquare).toBeLessThan(18.47); // 4 degrees of freedom, p = 0.001
});

test('a temperature near 0 gives the best token and no NaN [chat 84]', () => {
  expect(idOf(Float32Array.of(1, 100, 99), { ...off, temperature: 0.01 }, 0.99)).toBe(1);
});

test('reports when no token is left', () => {
  expect(drawToken(new Float32Array(5).fill(-Infinity), off, 0.3)).toBeNull();
  expect(argmax(new Float32Array(5).fill(-Infinity))).toBe(-1);
});

test('the k-th largest and the k best match a full sort', () => {
  fc.assert(
    fc.property(row, fc.integer({ min: 1, max: 45 }), (logits, k) => {
      const values = Float32Array.from(logits);
      const sorted = values.map((_, id) => id).sort((a, b) => values[b]! - values[a]! || a - b);
      const ids = [...sorted].map(Number);
      expect(topIds(values, k)).toEqual(ids.slice(0, k));
      if (k < values.length) expect(kthLargest(values, k) === values[ids[k - 1]!]).toBe(true);
    }),
  );
});

test('random numbers match Philox 4x32-10', () => {
  const hex = (numbers: number[]) => numbers.map((number) => number.toString(16).padStart(8, '0'));
  expect(hex(philox([0, 0, 0, 0], [0, 0]))).toEqual(['6627e8d5', 'e169c58d', 'bc57ac4c', '9b00dbd8']);
  expect(hex(philox([0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff], [0xffffffff, 0xffffffff]))).toEqual([
    '408f276d',
    '41c83b0e',
    'a20bc7c6',
    '6d5451fd',
  ]);
});

test('choices have consecutive seeds of 64 bits [chat 79]', () => {
  expect(seedOfChoice(7n, 2)).toBe(9n);
  expect(seedOfChoice(2n ** 63n - 1n, 1)).toBe(-(2n ** 63n));
});

function idOf(logits: Float32Array, filters: Filters, uniform: number): number {
  return drawToken(logits, filters, uniform)!.id;
}

function draws(logits: Float32Array, filters: Filters): Set<number> {
  return new Set(Array.from({ length: 500 }, (_, index) => idOf(logits, filters, uniformAt(3n, index))));
}

test('uses seeds of 64 bits, and a random one for none and -1 [chat 81 82]', () => {
  const fresh = () => 42n;
  expect([seedOfRequest(null, fresh), seedOfRequest(-1n, fresh), seedOfRequest(7n, fresh)]).toEqual([42n, 42n, 7n]);
  expect(seedOfRequest(2n ** 63n, fresh)).toBe(-(2n ** 63n));
  expect(uniformAt(2n ** 63n - 1n, 0)).not.toBe(uniformAt(-(2n ** 63n), 0));
});
