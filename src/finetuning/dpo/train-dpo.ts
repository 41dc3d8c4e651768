import type { DpoSettings } from '../../domain/training/dpo-settings.ts';
import { withReference } from '../../engine/training/batches/known-logprobs.ts';
import { packGroups, type TokenizedResult } from '../../engine/training/batches/pack.ts';
import { pairLoss, pairRewards } from '../../engine/training/objectives/dpo.ts';
import { sftOptimizer } from '../../engine/training/optimizer/adam.ts';
import type { TrainingRow } from '../../engine/training/row.ts';
import type { TrainedWeights, TrainingState } from '../../engine/training/types.ts';
import type { ModelInTraining } from '../../training/trainer.ts';
import { type Metrics, optimizerStep } from '../optimizer-step.ts';
import type { TokenizedConversation } from '../sft/prepare-sft.ts';
import { dpoStepMetrics, meansOfSteps } from '../step-metrics.ts';
import { aTenthOf, type BatchTraining, trainBatches } from '../train-batches.ts';
import type { DpoBatch, Pair, PreparedDpo } from './prepare-dpo.ts';

export type DpoTraining = BatchTraining & {
  prepared: PreparedDpo;
  /** Pairs that are not trained on. */
  heldOut: Pair[];
  settings: DpoSettings;
  /** The model that the job started from; null for the base model. */
  reference: TrainedWeights | null;
};

/** Trains one optimizer step on each batch. @returns the new state, and what the checkpoint reports of the job */
export async function trainDpo(training: DpoTraining): Promise<{ state: TrainingState; metrics: Metrics }> {
  const { prepared, heldOut } = training;
  const { batches } = prepared;
  const done = await trainBatches(training, {
    batches,
    sequenceTokensMax: longest(training),
    trainBatch: (model, batch) => trainBatch(model, batch, training),
    scoreHeldOut:
      heldOut.length === 0 ? null : async (model) => ({ 'val/loss': await lossOf(model, heldOut, training) }),
    isValidated: aTenthOf(batches.length),
  });
  return { state: done.state, metrics: { ...meansOfSteps(done.steps), ...done.heldOut } };
}

async function trainBatch(
  model: ModelInTraining,
  { pairs, dropped }: DpoBatch,
  training: DpoTraining,
): Promise<Metrics> {
  const { settings, signal } = training;
  const { beta, learningRate } = settings;
  const rows = await rowsOf(model, pairs, training);
  const options = { ...sftOptimizer, learningRate };
  const step = rows.length > 0 ? await optimizerStep(model, rows, { name: 'dpo', beta }, options, signal) : null;
  return dpoStepMetrics(step, { pairs: pairs.length, dropped, learningRate });
}

/** The mean over the pairs. */
async function lossOf(model: ModelInTraining, pairs: Pair[], training: DpoTraining): Promise<number> {
  let sum = 0;
  for (let i = 0; i < pairs.length; i += scoredTogether) {
    const rows = await rowsOf(model, pairs.slice(i, i + scoredTogether), training);
    const scores = await model.forward(rows, 'trained', training.signal);
    for (const [r, row] of rows.entries()) sum += pairLoss(pairRewards(row, scores[r]!, training.settings.beta));
  }
  return sum / pairs.length;
}

/** Rows are made as they are needed: they hold much more memory than their tokens. */
const scoredTogether = 32;

/** The pairs with the logprobs of the reference. */
async function rowsOf(
  model: ModelInTraining,
  pairs: Pair[],
  { reference, signal }: DpoTraining,
): Promise<TrainingRow[]> {
  if (pairs.length === 0) return [];
  const rows = pairs.map(rowOfPair);
  return withReference(rows, await model.forward(rows, reference ?? 'base', signal));
}

/** Both answers in one row, which stores what they begin with once. */
function rowOfPair({ preferred, other }: Pair): TrainingRow {
  const { rows } = packGroups([[resultOf(preferred, 1), resultOf(other, -1)]], Number.POSITIVE_INFINITY, () => 0);
  return rows[0]!;
}

function resultOf({ tokens, isTrained }: TokenizedConversation, advantage: number): TokenizedResult {
  const logprobs = new Float32Array(tokens.length).fill(Number.NaN);
  return { tokens, mask: isTrained, logprobs, advantage, weight: 1 };
}

/** A row of a pair is computed in parts of one answer each if both together are too long. */
function longest({ prepared, heldOut }: DpoTraining): number {
  const pairs = [...prepared.batches.flatMap((batch) => batch.pairs), ...heldOut];
  return pairs.reduce((most, { preferred, other }) => Math.max(most, preferred.tokens.length, other.tokens.length), 0);
}
