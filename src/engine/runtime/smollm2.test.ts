import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { fixtures, readJson } from '../testing/fixtures.ts';
import { smollm2, smollm2IsHere } from '../testing/smollm2.ts';
import { openModel } from './open-model.ts';
import type { LoadedModel, ReducedLogits, StepRequest } from './types.ts';

/** Results of `transformers` for the same file, dequantised to f32 (scripts/reference/smollm2.py). */
type Reference = { prompt: number[]; tokens: number[]; logprobs: number[] };

const isLong = process.env.TEST_LONG !== undefined;
const references = readJson<Reference[]>(join(fixtures, 'smollm2.json'));
/** A fault of the engine changes all of them. CI compares every third. */
const compared = references.filter((_, i) => isLong || i % 3 === 0);
const generatedMax = isLong ? 200 : 60;
const tolerance = 1e-3;

describe.skipIf(!smollm2IsHere())('SmolLM2-135M', () => {
  let model: LoadedModel;
  beforeAll(async () => {
    model = await openModel(smollm2.path, { cacheDirectory: smollm2.cacheDirectory, contextMax: 1024 });
  });
  afterAll(() => model.close());

  /** If each reference token is the most likely after those before it, greedy decoding generates the same tokens. */
  test.each(compared)('has the 200 greedy tokens of transformers as its most likely ones', async (reference) => {
    const { prompt, tokens } = reference;
    const sequence = model.createSequence();
    const [prefix, given] = [prompt.slice(0, -1), [prompt.at(-1)!, ...tokens.slice(0, -1)]];
    if (prefix.length > 0) await step({ sequence, tokens: Int32Array.from(prefix), wanted: 'none' });
    const reduce = { top: 1, targets: Int32Array.from(tokens) };
    const found = await step({ sequence, tokens: Int32Array.from(given), wanted: 'all', reduce });
    model.release(sequence);
    expect([...found!.topTokens]).toEqual(tokens);
    const logprobs = tokens.map((_, i) => found!.targetLogits[i]! - found!.logSumExp[i]!);
    expect(largestDifference(logprobs, reference.logprobs)).toBeLessThan(tolerance);
  });

  test('generates the same tokens for one sequence and for two at a time', async () => {
    const chosen = [references[0]!, references.at(-1)!];
    const runs = chosen.map(({ prompt }) => ({ sequence: model.createSequence(), next: prompt, made: [] as number[] }));
    while (runs[0]!.made.length < generatedMax) {
      const requests = runs.map(({ sequence, next }) => {
        return { sequence, tokens: Int32Array.from(next), wanted: 'last' as const, reduce: { top: 1 } };
      });
      const results = await model.step(requests);
      for (const [i, run] of runs.entries()) {
        run.next = [(results[i] as unknown as ReducedLogits).topTokens[0]!];
        run.made.push(...run.next);
      }
    }
    for (const { sequence } of runs) model.release(sequence);
    expect(runs.map(({ made }) => made)).toEqual(chosen.map(({ tokens }) => tokens.slice(0, generatedMax)));
  });

  async function step(request: StepRequest): Promise<ReducedLogits | null> {
    const [result] = await model.step([request]);
    return result!.kind === 'reduced' ? result! : null;
  }
});

function largestDifference(found: number[], expected: number[]): number {
  return found.reduce((most, value, i) => Math.max(most, Math.abs(value - expected[i]!)), 0);
}
