import { describe, expect, test } from 'vitest';
import { readJson } from '../../testing/fixtures.ts';
import { objectiveOf } from '../objectives/losses.ts';
import { rowOfSequence, type TrainingRow } from '../row.ts';
import type { LoraWeights } from '../run/run.ts';
import type { TrainingSession } from '../run/training-session.ts';
import { modelNames, modelPath, openForTest, someLora } from '../testing/models.ts';
import { scoreRows, trainRows } from '../testing/train-rows.ts';

type Reference = { tokens: number[]; logits: number[][] };

describe.each(modelNames)('%s', (name) => {
  test('has the logprobs of transformers without LoRA weights', async () => {
    const session = await openForTest(name);
    const { tokens, logits } = readJson<Reference>(`${modelPath(name)}/reference.json`);
    const row = rowOfSequence(Int32Array.from(tokens), () => true);
    const lora = { ...someLora(session), scale: 0 };
    const [scores] = await scoreRows(session, lora, [row]);
    const expected = tokens.slice(1).map((token, i) => logprobOf(logits[i]!, token));
    expect(largestDifference(scores!.logprobs, expected)).toBeLessThan(2e-5);
  });

  test('has the same gradients as central differences', async () => {
    const session = await openForTest(name);
    const lora = someLora(session);
    const rows = someRows();
    const gradients = await gradientsOf(session, lora, rows);
    for (const tensor of lora.layout.tensors) {
      const places = Array.from({ length: tensor.shape[0] * tensor.shape[1] }, (_, i) => tensor.offset + i);
      // In the direction of the gradient, so that the difference is much larger than rounding errors of f32.
      const norm = Math.hypot(...places.map((place) => gradients[place]!));
      const step = 0.004;
      const moved = (steps: number) => {
        const parameters = lora.parameters.slice();
        for (const place of places) parameters[place]! += (steps * step * gradients[place]!) / norm;
        return lossOf(session, { ...lora, parameters }, rows);
      };
      const [one, two] = [(await moved(1)) - (await moved(-1)), (await moved(2)) - (await moved(-2))];
      const slope = (8 * one - two) / (12 * step);
      expect(Math.abs(slope / norm - 1), tensor.input).toBeLessThan(0.01);
    }
  });
});

/** Rows of different lengths, so that one is padded. */
function someRows(): TrainingRow[] {
  const tokens = (length: number) => Int32Array.from({ length }, (_, i) => (i * i * 5 + 3 * i + length) % 48);
  return [rowOfSequence(tokens(24), (i) => i % 3 !== 0), rowOfSequence(tokens(17), (i) => i > 5)];
}

async function gradientsOf(session: TrainingSession, lora: LoraWeights, rows: TrainingRow[]): Promise<Float32Array> {
  return (await trainRows(session, lora, rows, objectiveOf({ name: 'cross_entropy' }, rows))).gradients;
}

async function lossOf(session: TrainingSession, lora: LoraWeights, rows: TrainingRow[]): Promise<number> {
  const logprobs = (await scoreRows(session, lora, rows)).flatMap((each) => [...each.logprobs]);
  return -logprobs.reduce((sum, each) => sum + each, 0) / logprobs.length;
}

function logprobOf(logits: number[], token: number): number {
  const highest = Math.max(...logits);
  return logits[token]! - highest - Math.log(logits.reduce((sum, each) => sum + Math.exp(each - highest), 0));
}

function largestDifference(a: ArrayLike<number>, b: number[]): number {
  return b.reduce((most, value, i) => Math.max(most, Math.abs(value - a[i]!)), 0);
}
