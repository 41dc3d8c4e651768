import type { RlSettings } from '../../domain/training/rl-settings.ts';
import { precalculate, withReference } from '../../engine/training/batches/known-logprobs.ts';
import { rlOptimizer } from '../../engine/training/optimizer/adam.ts';
import { longestSequence } from '../../engine/training/run/split-rows.ts';
import type { TrainedWeights, TrainingState } from '../../engine/training/types.ts';
import type { ModelInTraining } from '../../training/trainer.ts';
import { optimizerStep, type TrainingInput, withTrainedModel } from '../optimizer-step.ts';
import { meansOfSteps, rlStepMetrics } from '../step-metrics.ts';
import type { PreparedRl, PreparedRow } from './prepare-rl.ts';

export type RlTraining = TrainingInput & {
  prepared: PreparedRl;
  settings: RlSettings;
  /** The reference of the KL penalty, unless that is the base model. */
  reference: TrainedWeights | null;
  /** The weights with which the first step began; null for those of the base model. Read only after a pause. */
  first(): Promise<TrainedWeights | null>;
  onStep(metrics: Record<string, number>): Promise<void>;
};

/** Trains one optimizer step on each row. @returns the new state, and the means of the steps' metrics */
export async function trainRl(
  training: RlTraining,
): Promise<{ state: TrainingState; metrics: Record<string, number> }> {
  const { prepared, settings, signal, made, onStep, afterStep } = training;
  const { rewardMean } = prepared.report;
  const tokensMax = longestSequence(prepared.rows.map(({ row }) => row));
  const { state, result: steps } = await withTrainedModel(training, tokensMax, async (model) => {
    const steps = [...made.steps];
    for (const packed of (await scoredRows(model, training)).slice(steps.length)) {
      const options = { ...rlOptimizer, learningRate: learningRateOf(settings, packed) };
      const step = await optimizerStep(model, [packed.row], lossOf(settings), options, signal);
      const metrics = rlStepMetrics(step, rewardMean);
      steps.push(metrics);
      await onStep(metrics);
      await afterStep(model, { steps, heldOut: {} });
    }
    return steps;
  });
  return { state, metrics: meansOfSteps(steps) };
}

/** The rows with the logprobs that the loss compares with, before the first step changes the weights. */
async function scoredRows(model: ModelInTraining, training: RlTraining): Promise<PreparedRow[]> {
  const { prepared, settings, reference, made, signal } = training;
  let rows = prepared.rows.map(({ row }) => row);
  if (settings.klPenalty) rows = withReference(rows, await model.forward(rows, reference ?? 'base', signal));
  if (settings.precalculatesLogprobs) {
    const first = made.steps.length === 0 ? 'trained' : ((await training.first()) ?? 'base');
    rows = precalculate(rows, await model.forward(rows, first, signal), settings.truncatedRatioMax);
  }
  return rows.map((row, i) => ({ row, results: prepared.rows[i]!.results }));
}

export function lossOf(settings: RlSettings) {
  return {
    name: settings.lossFunction,
    config: {
      epsilon: settings.epsilon,
      epsilon_high: settings.epsilonHigh,
      importance_sampling_level: settings.importanceSamplingLevel,
      kimi_k2_tau: settings.k2Tau,
      mask_prob_ratio: settings.masksRatios,
      max_negative_advantage_importance_sampling_weight: settings.ratioMax,
      // The ratio to the sampler is in the weights where the old logprobs are not the sampler's.
      truncated_importance_sampling: settings.precalculatesLogprobs ? null : settings.truncatedRatioMax,
      kl_penalty_coef: settings.klPenalty?.coefficient ?? null,
      kl_penalty_source: settings.klPenalty?.source ?? null,
    },
  };
}

function learningRateOf({ learningRate, learningRatePower }: RlSettings, { results }: PreparedRow): number {
  return learningRate * results ** learningRatePower;
}
