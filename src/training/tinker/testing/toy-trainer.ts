import { join } from 'node:path';
import { filesAt } from '../../../engine/testing/files-at.ts';
import { needsScores, objectiveOf } from '../../../engine/training/objectives/losses.ts';
import { evaluateGradients } from '../../../engine/training/objectives/testing/evaluate-gradients.ts';
import type { TrainingRow } from '../../../engine/training/row.ts';
import type { Loss, OptimizerOptions, RowScores } from '../../../engine/training/types.ts';
import { type TinkerTrainerOptions, tinkerTrainer } from '../tinker-trainer.ts';
import { type DoubleOptions, openTinkerDouble } from './tinker-double.ts';
import { softmax, ToyModel, vocabSize } from './toy-model.ts';

const tinyFolder = join(import.meta.dirname, '../../../../assets/tiny-model');

export const toySpec = { base: { id: 'tiny', name: 'here/tiny' }, rank: 8, alpha: 32, seed: 1, sequenceTokensMax: 64 };

/** Steps are a tenth of the gradient. */
export const plain: OptimizerOptions = {
  ...{ learningRate: 100, beta1: 0, beta2: 0, epsilon: 1000, weightDecay: 0, gradientNormMax: null },
};

/** A trainer over a double, which ends with the test. */
export async function openToy(
  options: Partial<DoubleOptions> = {},
  { totalMsMax = 2_000, ...rest }: Partial<TinkerTrainerOptions> & { totalMsMax?: number } = {},
) {
  const server = await openTinkerDouble({ folder: tinyFolder, ...options });
  const trainer = tinkerTrainer({
    ...{ url: server.url, apiKey: 'the-key', modelNames: new Map([['here/tiny', 'there/tiny']]), isStrict: false },
    ...{ withModelFiles: filesAt(tinyFolder), retry: { firstMs: 1, waitMsMax: 10, totalMsMax } },
    ...rest,
  });
  return { server, trainer };
}

/** The logprobs of rows under the weights of a toy model. */
export function toyScores(model: ToyModel, rows: TrainingRow[]): RowScores[] {
  return rows.map(({ tokens, targets }) => ({
    logprobs: Float32Array.from(targets.tokens, (target, i) =>
      Math.log(softmax(model.row(tokens[targets.places[i]!]!))[target]!),
    ),
    entropies: null,
    hits: null,
  }));
}

/** The weights after a plain step, computed from the derivatives of the loss without a server. */
export function afterStep(model: ToyModel, rows: TrainingRow[], loss: Loss): ToyModel {
  const scores = toyScores(model, rows);
  const slopes = evaluateGradients(rows, scores, objectiveOf(loss, rows, needsScores(loss) ? scores : null));
  const gradient = new Map<number, Float64Array>();
  for (const [r, { tokens, targets }] of rows.entries()) {
    for (const [i, target] of targets.tokens.entries()) {
      const token = tokens[targets.places[i]!]!;
      const own = gradient.get(token) ?? new Float64Array(vocabSize);
      gradient.set(token, own);
      for (const [v, p] of softmax(model.row(token)).entries()) own[v]! -= slopes[r]![i]! * p;
      own[target]! += slopes[r]![i]!;
    }
  }
  const after = new ToyModel();
  for (const [token, row] of gradient) {
    after.rows.set(
      token,
      model.row(token).map((value, v) => value - (100 * row[v]!) / (Math.abs(row[v]!) + 1000)),
    );
  }
  return after;
}

/** The largest difference between weights. */
export function weightsApart(a: ToyModel, b: ToyModel): number {
  const tokens = new Set([...a.rows.keys(), ...b.rows.keys()]);
  return [...tokens].reduce((most, token) => {
    const other = b.row(token);
    return a.row(token).reduce((worst, value, v) => Math.max(worst, Math.abs(value - other[v]!)), most);
  }, 0);
}
