import { join } from 'node:path';
import { expect, test } from 'vitest';
import { fixtures, readJson } from '../testing/fixtures.ts';
import { objectiveOf } from './objectives/losses.ts';
import { adamStep, clipScale, newAdamState, normOf, rlOptimizer } from './optimizer/adam.ts';
import { rowOfSequence } from './row.ts';
import { openForTest, someLora } from './testing/models.ts';
import { trainRows } from './testing/train-rows.ts';

/** Written by `scripts/reference/training.py`. Arrays are f32, in the order of the layout. */
type Reference = { losses: number[]; norms: number[]; gradients: string; parameters: string };

const references = readJson<Record<string, Reference>>(join(fixtures, 'training.json'));
const tokens = (length: number) => Int32Array.from({ length }, (_, i) => (i * i * 5 + 3 * i + length) % 48);
const rows = [rowOfSequence(tokens(24), (i) => i % 3 !== 0), rowOfSequence(tokens(17), (i) => i > 5)];

test.each(Object.keys(references))(
  '%s has the gradients of PyTorch, and the weights after steps of AdamW',
  async (name) => {
    const reference = references[name]!;
    const session = await openForTest(name);
    const lora = someLora(session);
    const state = newAdamState(lora.layout.length);
    const options = { ...rlOptimizer, learningRate: 0.02 };
    const objective = objectiveOf({ name: 'cross_entropy' }, rows);
    for (const [step, loss] of reference.losses.entries()) {
      const { scores, gradients } = await trainRows(session, lora, rows, objective);
      const all = scores.flatMap(({ logprobs }) => [...logprobs]);
      expect(-all.reduce((sum, each) => sum + each, 0) / all.length).toBeCloseTo(loss, 5);
      if (step === 0) expect(relativeError(gradients, decode(reference.gradients))).toBeLessThan(1e-5);
      const norm = normOf(gradients);
      expect(norm / reference.norms[step]! - 1).toBeCloseTo(0, 4);
      adamStep(lora.parameters, gradients, state, options, clipScale(norm, options.gradientNormMax));
    }
    // AdamW divides by the size of gradients, so rounding errors of small ones become as large as a step.
    expect(relativeError(lora.parameters, decode(reference.parameters))).toBeLessThan(1e-4);
  },
);

function relativeError(found: Float32Array, expected: Float32Array): number {
  expect(found.length).toBe(expected.length);
  return normOf(found.map((each, i) => each - expected[i]!)) / normOf(expected);
}

function decode(text: string): Float32Array {
  const bytes = Buffer.from(text, 'base64');
  return new Float32Array(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length));
}
