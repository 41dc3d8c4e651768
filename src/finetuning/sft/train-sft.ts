import { learningRateOf, type SftSettings } from '../../domain/training/sft-settings.ts';
import { sftOptimizer } from '../../engine/training/optimizer/adam.ts';
import { rowOfSequence, type TrainingRow } from '../../engine/training/row.ts';
import type { TrainingState } from '../../engine/training/types.ts';
import type { ModelInTraining } from '../../training/trainer.ts';
import { type Metrics, optimizerStep } from '../optimizer-step.ts';
import { meansOfSteps, sftStepMetrics } from '../step-metrics.ts';
import { aTenthOf, type BatchTraining, trainBatches } from '../train-batches.ts';
import type { PreparedSft, SftBatch, TokenizedConversation } from './prepare-sft.ts';

export type SftTraining = BatchTraining & {
  prepared: PreparedSft;
  /** Conversations that are not trained on. */
  heldOut: TokenizedConversation[];
  settings: SftSettings;
};

/** Trains one optimizer step on each batch. @returns the new state, and what the checkpoint reports of the job */
export async function trainSft(training: SftTraining): Promise<{ state: TrainingState; metrics: Metrics }> {
  const { prepared, heldOut, settings, signal } = training;
  const { batches } = prepared;
  const done = await trainBatches(training, {
    batches,
    sequenceTokensMax: longest(training),
    trainBatch: (model, batch, index) =>
      trainBatch(model, batch, learningRateOf(settings, index, batches.length), signal),
    scoreHeldOut: heldOut.length === 0 ? null : (model) => scoreHeldOut(model, heldOut, signal),
    isValidated: aTenthOf(batches.length),
  });
  const trained = done.steps.filter((step) => step['data/step_num_trajectories']! > 0);
  return { state: done.state, metrics: { ...meansOfSteps(trained), ...done.heldOut } };
}

async function trainBatch(
  model: ModelInTraining,
  { conversations, dropped }: SftBatch,
  learningRate: number,
  signal: AbortSignal,
): Promise<Metrics> {
  const options = { ...sftOptimizer, learningRate };
  const rows = conversations.map(rowOf);
  const step = rows.length > 0 ? await optimizerStep(model, rows, { name: 'cross_entropy' }, options, signal) : null;
  return sftStepMetrics(step, { conversations: rows.length, dropped, learningRate });
}

/** The mean loss over all tokens that would be trained, and the share of them that the model would choose. */
async function scoreHeldOut(model: ModelInTraining, conversations: TokenizedConversation[], signal: AbortSignal) {
  let [loss, count] = [0, 0];
  let hits: number | null = 0;
  for (let i = 0; i < conversations.length; i += scoredTogether) {
    const rows = conversations.slice(i, i + scoredTogether).map(rowOf);
    for (const { logprobs, hits: own } of await model.forward(rows, 'trained', signal)) {
      loss -= logprobs.reduce((total, each) => total + each, 0);
      hits = hits === null || own === null ? null : hits + own.reduce((total, each) => total + each, 0);
      count += logprobs.length;
    }
  }
  return { 'val/loss': loss / count, ...(hits !== null && { 'val/accuracy': hits / count }) };
}

/** Rows are made as they are needed: they hold much more memory than their tokens. */
const scoredTogether = 64;

function rowOf({ tokens, isTrained }: TokenizedConversation): TrainingRow {
  return rowOfSequence(tokens, (index) => isTrained[index] === 1);
}

function longest({ prepared, heldOut }: SftTraining): number {
  const all = [...prepared.batches.flatMap(({ conversations }) => conversations), ...heldOut];
  return all.reduce((most, { tokens }) => Math.max(most, tokens.length), 0);
}
