import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { fixtures, openForTests, readJson } from '../testing/fixtures.ts';
import type { LoadedModel, StepResult } from './types.ts';

type Reference = { tokens: number[]; logits: number[][] };

/** Logits are in the single digits. */
const toleranceF32 = 2e-5;
/** Minima of quantised weights are rounded one more time. */
const toleranceQuantised = 5e-5;

const models = join(fixtures, 'models');
const folders = readdirSync(models).map((name) => join(models, name));
const ggufFiles = folders.map((folder) => join(folder, 'model.gguf')).filter((path) => existsSync(path));
const cases = [...folders, ...ggufFiles].map((path) => ({
  name: path.slice(models.length + 1),
  path,
  reference: readJson<Reference>(join(path.replace(/\/model\.gguf$/, ''), 'reference.json')),
  tolerance: /gptq|awq/.test(path) ? toleranceQuantised : toleranceF32,
}));

describe.each(cases)('$name has the logits of transformers', ({ path, reference, tolerance }) => {
  let model: LoadedModel;
  beforeAll(async () => {
    model = await openForTests(path);
  });
  afterAll(() => model.close());

  test('in one prefill', async () => {
    const tokens = Int32Array.from(reference.tokens);
    const [result] = await model.step([{ sequence: model.createSequence(), tokens, wanted: 'all' }]);
    expect(distance(logitsOf(result!), reference.logits)).toBeLessThan(tolerance);
  });

  test('in chunks and token by token', async () => {
    const sequence = model.createSequence();
    const logits: number[] = [];
    for (const [start, end] of chunks(reference.tokens.length)) {
      const tokens = Int32Array.from(reference.tokens.slice(start, end));
      const [result] = await model.step([{ sequence, tokens, wanted: 'all' }]);
      logits.push(...logitsOf(result!));
    }
    expect(distance(logits, reference.logits)).toBeLessThan(tolerance);
  });

  test('for sequences of different lengths in one batch', async () => {
    const starts = [1, 4, 11, 25];
    const sequences = await Promise.all(starts.map((length) => begin(model, reference.tokens.slice(0, length))));
    for (let i = 0; i < 8; i++) {
      const requests = sequences.map((sequence) => {
        const tokens = Int32Array.of(reference.tokens[sequence.length]!);
        return { sequence, tokens, wanted: 'last' as const };
      });
      const results = await model.step(requests);
      for (const [b, { length }] of sequences.entries()) {
        expect(distance(logitsOf(results[b]!), [reference.logits[length - 1]!])).toBeLessThan(tolerance);
      }
    }
  });
});

async function begin(model: LoadedModel, tokens: number[]) {
  const sequence = model.createSequence();
  await model.step([{ sequence, tokens: Int32Array.from(tokens), wanted: 'none' }]);
  return sequence;
}

function chunks(length: number): [number, number][] {
  return [
    [0, 1],
    [1, 6],
    [6, 7],
    [7, 19],
    [19, 20],
    [20, length],
  ];
}

function logitsOf(result: StepResult): Float32Array {
  if (result.kind !== 'logits') throw new Error(`expected logits, got ${result.kind}`);
  return result.logits;
}

function distance(found: ArrayLike<number>, expected: number[][]): number {
  const flat = expected.flat();
  expect(found.length).toBe(flat.length);
  return flat.reduce((most, value, i) => Math.max(most, Math.abs(value - found[i]!)), 0);
}
