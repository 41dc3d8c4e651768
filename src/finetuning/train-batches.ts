import type { TrainingState } from '../engine/training/types.ts';
import type { ModelInTraining } from '../training/trainer.ts';
import { type MadeSteps, type Metrics, type TrainingInput, withTrainedModel } from './optimizer-step.ts';

/** A job that makes one optimizer step for each batch. */
export type BatchTraining = TrainingInput & {
  onStep(metrics: Metrics): Promise<void>;
  /** Called with the metrics of the held-out share: before the first step, now and then, and after the last. */
  onValidation(metrics: Metrics): Promise<void>;
};

type Work<Batch> = {
  batches: Batch[];
  sequenceTokensMax: number;
  trainBatch(model: ModelInTraining, batch: Batch, index: number): Promise<Metrics>;
  /** Null if nothing is held out. */
  scoreHeldOut: ((model: ModelInTraining) => Promise<Metrics>) | null;
  /** Whether the model is validated after so many steps; after the last one it always is. */
  isValidated(step: number): boolean;
};

/** Trains on the batches whose steps have not been made yet. @returns the new state, and the metrics of all steps */
export async function trainBatches<Batch>(
  training: BatchTraining,
  { batches, sequenceTokensMax, trainBatch, scoreHeldOut, isValidated }: Work<Batch>,
): Promise<MadeSteps & { state: TrainingState }> {
  const { state, result } = await withTrainedModel(training, sequenceTokensMax, async (model) => {
    const steps = [...training.made.steps];
    let heldOut = steps.length > 0 ? training.made.heldOut : await validate(model, 0);
    for (const [index, batch] of batches.entries()) {
      if (index < steps.length) continue;
      const metrics = await trainBatch(model, batch, index);
      steps.push(metrics);
      await training.onStep(metrics);
      const step = index + 1;
      if (step === batches.length || isValidated(step)) heldOut = await validate(model, step);
      await training.afterStep(model, { steps, heldOut });
    }
    return { steps, heldOut };
  });
  return { state, ...result };

  async function validate(model: ModelInTraining, step: number): Promise<Metrics> {
    if (scoreHeldOut === null) return {};
    const metrics = await scoreHeldOut(model);
    await training.onValidation({ step, ...metrics });
    return metrics;
  }
}

/** About ten times. */
export function aTenthOf(steps: number): (step: number) => boolean {
  return (step) => step % Math.max(1, Math.ceil(steps / 10)) === 0;
}
