import { learningRateOf, type SftSettings } from '../../domain/training/sft-settings.ts';
import { sftOptimizer } from '../../engine/training/optimizer/adam.ts';
import { rowOfSequence, type TrainingRow } from '../../engine/training/row.ts';
import type { TrainedModel, TrainingState } from '../../engine/training/trainer.ts';
import { optimizerStep, type TrainingInput, withTrainedModel } from '../optimizer-step.ts';
import { meansOfSteps, sftStepMetrics } from '../step-metrics.ts';
import type { PreparedSft, SftBatch, TokenizedConversation } from './prepare-sft.ts';

type Metrics = Record<string, number>;

export type SftTraining = TrainingInput & {
  prepared: PreparedSft;
  settings: SftSettings;
  onStep(metrics: Metrics): Promise<void>;
  /** Called with the loss of the held-out conversations: before the first step, now and then, and after the last. */
  onValidation(metrics: Metrics): Promise<void>;
};

/** Trains one optimizer step on each batch. @returns the new state, and what the checkpoint reports of the job */
export async function trainSft(training: SftTraining): Promise<{ state: TrainingState; metrics: Metrics }> {
  const { prepared, settings, signal, onStep, onValidation } = training;
  const { batches, heldOut } = prepared;
  const { state, result } = await withTrainedModel(training, longest(prepared), async (model) => {
    const steps: Metrics[] = [];
    let heldOutLoss = await validate(model, 0);
    for (const [index, batch] of batches.entries()) {
      const metrics = await trainBatch(model, batch, learningRateOf(settings, index, batches.length), signal);
      if (batch.conversations.length > 0) steps.push(metrics);
      await onStep(metrics);
      if (isValidated(index + 1, batches.length)) heldOutLoss = await validate(model, index + 1);
    }
    return { ...meansOfSteps(steps), ...(heldOutLoss === null ? {} : { 'val/loss': heldOutLoss }) };
  });
  return { state, metrics: result };

  async function validate(model: TrainedModel, step: number): Promise<number | null> {
    if (heldOut.length === 0) return null;
    const loss = await lossOf(model, heldOut, signal);
    await onValidation({ step, 'val/loss': loss });
    return loss;
  }
}

async function trainBatch(
  model: TrainedModel,
  { conversations, dropped }: SftBatch,
  learningRate: number,
  signal: AbortSignal,
): Promise<Metrics> {
  const options = { ...sftOptimizer, learningRate };
  const rows = conversations.map(rowOf);
  const step = rows.length > 0 ? await optimizerStep(model, rows, { name: 'cross_entropy' }, options, signal) : null;
  return sftStepMetrics(step, { conversations: rows.length, dropped, learningRate });
}

/** The mean over all tokens that would be trained. */
async function lossOf(model: TrainedModel, conversations: TokenizedConversation[], signal: AbortSignal) {
  let [sum, count] = [0, 0];
  for (let i = 0; i < conversations.length; i += scoredTogether) {
    const rows = conversations.slice(i, i + scoredTogether).map(rowOf);
    for (const { logprobs } of await model.forward(rows, 'trained', signal)) {
      sum -= logprobs.reduce((total, each) => total + each, 0);
      count += logprobs.length;
    }
  }
  return sum / count;
}

/** Rows are made as they are needed: they hold much more memory than their tokens. */
const scoredTogether = 64;

function rowOf({ tokens, isTrained }: TokenizedConversation): TrainingRow {
  return rowOfSequence(tokens, (index) => isTrained[index] === 1);
}

/** After the last step, and about ten times on the way. */
function isValidated(step: number, steps: number): boolean {
  return step === steps || step % Math.max(1, Math.ceil(steps / 10)) === 0;
}

function longest({ batches, heldOut }: PreparedSft): number {
  const all = [...batches.flatMap(({ conversations }) => conversations), ...heldOut];
  return all.reduce((most, { tokens }) => Math.max(most, tokens.length), 0);
}
