import type { BaseModel } from '../domain/model.ts';
import type { TrainingRow } from '../engine/training/row.ts';
import type {
  ForwardBackwardResult,
  Loss,
  OptimizerOptions,
  OptimizerResult,
  TrainingState,
} from '../engine/training/types.ts';
import type { ModelInTraining, Trainer } from '../training/trainer.ts';

/** As ART trains. */
const lora = { rank: 8, alpha: 16 };

export type Metrics = Record<string, number>;

/** What a job has done so far. */
export type MadeSteps = {
  /** The metrics of each step. */
  steps: Metrics[];
  /** Of what is held out, when it was validated last: `val/loss` or `val/reward`. */
  heldOut: Metrics;
};

/** Whether a step has changed the weights. */
export function hasTrained({ steps }: MadeSteps): boolean {
  return steps.some((step) => (step['data/step_trainer_tokens'] ?? 0) > 0);
}

/** The data of every kind of training. */
export type TrainingInput = {
  trainer: Trainer;
  base: BaseModel;
  /** Null for a model that has not been trained yet. */
  from: TrainingState | null;
  /** For the first LoRA weights of such a model. */
  seed: number;
  /** The steps that `from` has made already: the job was paused. */
  made: MadeSteps;
  /** Called with what the trainer does otherwise than jobs may ask. */
  onWarning(message: string): Promise<void>;
  /** Called after each step. What it throws ends the run. */
  afterStep(model: ModelInTraining, made: MadeSteps): Promise<void>;
  signal: AbortSignal;
};

/** Opens the model, lets it be trained, and closes it. @returns the new state, and what the training returned */
export async function withTrainedModel<Result>(
  { trainer, base, from, seed, onWarning, signal }: TrainingInput,
  sequenceTokensMax: number,
  train: (model: ModelInTraining) => Promise<Result>,
): Promise<{ state: TrainingState; result: Result }> {
  const model = await trainer.createModel(
    { base, ...lora, seed, sequenceTokensMax: Math.max(1, sequenceTokensMax) },
    signal,
  );
  try {
    for (const message of model.warnings) await onWarning(message);
    if (from) await model.loadState(from);
    const result = await train(model);
    return { state: await model.saveState(), result };
  } finally {
    await model.close();
  }
}

/** One step and its metrics. */
export type OptimizerStep = {
  result: ForwardBackwardResult;
  optimizer: OptimizerResult;
  learningRate: number;
  seconds: number;
};

export async function optimizerStep(
  model: ModelInTraining,
  rows: TrainingRow[],
  loss: Loss,
  options: OptimizerOptions,
  signal: AbortSignal,
): Promise<OptimizerStep> {
  const startedAt = performance.now();
  const result = await model.forwardBackward(rows, loss, signal);
  const optimizer = await model.optimStep(options);
  const seconds = (performance.now() - startedAt) / 1000;
  return { result, optimizer, learningRate: options.learningRate, seconds };
}
