import { learningRateOf, type SftSettings } from '../../domain/training/sft-settings.ts';
import { sftOptimizer } from '../../engine/training/optimizer/adam.ts';
import { rowOfSequence, type TrainingRow } from '../../engine/training/row.ts';
import type { TrainedModel, TrainingState } from '../../engine/training/trainer.ts';
import { type Metrics, optimizerStep, type TrainingInput, withTrainedModel } from '../optimizer-step.ts';
import { meansOfSteps, sftStepMetrics } from '../step-metrics.ts';
import type { PreparedSft, SftBatch, TokenizedConversation } from './prepare-sft.ts';

export type SftTraining = TrainingInput & {
  prepared: PreparedSft;
  /** Conversations that are not trained on. */
  heldOut: TokenizedConversation[];
  settings: SftSettings;
  onStep(metrics: Metrics): Promise<void>;
  /** Called with the loss of the held-out conversations: before the first step, now and then, and after the last. */
  onValidation(metrics: Metrics): Promise<void>;
};

/** Trains one optimizer step on each batch. @returns the new state, and what the checkpoint reports of the job */
export async function trainSft(training: SftTraining): Promise<{ state: TrainingState; metrics: Metrics }> {
  const { prepared, heldOut, settings, signal, onStep, onValidation } = training;
  const { batches } = prepared;
  const { state, result } = await withTrainedModel(training, longest(training), async (model) => {
    const steps = [...training.made.steps];
    let validated = steps.length > 0 ? training.made.heldOut : await validate(model, 0);
    for (const [index, batch] of batches.entries()) {
      if (index < steps.length) continue;
      const metrics = await trainBatch(model, batch, learningRateOf(settings, index, batches.length), signal);
      steps.push(metrics);
      await onStep(metrics);
      if (isValidated(index + 1, batches.length)) validated = await validate(model, index + 1);
      await training.afterStep(model, { steps, heldOut: validated });
    }
    const trained = steps.filter((step) => step['data/step_num_trajectories']! > 0);
    return { ...meansOfSteps(trained), ...validated };
  });
  return { state, metrics: result };

  async function validate(model: TrainedModel, step: number): Promise<Metrics> {
    if (heldOut.length === 0) return {};
    const metrics = await scoreHeldOut(model, heldOut, signal);
    await onValidation({ step, ...metrics });
    return metrics;
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

/** The mean loss over all tokens that would be trained, and the share of them that the model would choose. */
async function scoreHeldOut(model: TrainedModel, conversations: TokenizedConversation[], signal: AbortSignal) {
  let [loss, hits, count] = [0, 0, 0];
  for (let i = 0; i < conversations.length; i += scoredTogether) {
    const rows = conversations.slice(i, i + scoredTogether).map(rowOf);
    for (const { logprobs, hits: own } of await model.forward(rows, 'trained', signal)) {
      loss -= logprobs.reduce((total, each) => total + each, 0);
      hits += own.reduce((total, each) => total + each, 0);
      count += logprobs.length;
    }
  }
  return { 'val/loss': loss / count, 'val/accuracy': hits / count };
}

/** Rows are made as they are needed: they hold much more memory than their tokens. */
const scoredTogether = 64;

function rowOf({ tokens, isTrained }: TokenizedConversation): TrainingRow {
  return rowOfSequence(tokens, (index) => isTrained[index] === 1);
}

/** After the last step, and about ten times on the way. */
export function isValidated(step: number, steps: number): boolean {
  return step === steps || step % Math.max(1, Math.ceil(steps / 10)) === 0;
}

function longest({ prepared, heldOut }: SftTraining): number {
  const all = [...prepared.batches.flatMap(({ conversations }) => conversations), ...heldOut];
  return all.reduce((most, { tokens }) => Math.max(most, tokens.length), 0);
}
