import type { BaseModel } from '../domain/model.ts';
import type { TrainingUsage } from '../domain/training/usage.ts';
import type { Adapter } from '../engine/adapters/adapter.ts';
import type { TrainingRow } from '../engine/training/row.ts';
import type {
  ForwardBackwardResult,
  ForwardThrough,
  LoraSpec,
  Loss,
  OptimizerOptions,
  OptimizerResult,
  RowScores,
  TrainingState,
} from '../engine/training/types.ts';

/** Trains LoRA weights over base models. Its verbs are those of the Tinker protocol, so that a Tinker server can be one. */
export type Trainer = {
  /**
   * A model to train: the base with new LoRA weights, which change nothing yet. It holds memory until it is closed.
   * @param onWaiting called with the reason if a server has no place for the model, which then waits for one, and with null when it
   * goes on. Left out, such a model is refused
   * @throws Failure, with the reason
   */
  createModel(spec: TrainedModelSpec, signal?: AbortSignal, onWaiting?: OnWaiting): Promise<ModelInTraining>;
};

export type OnWaiting = (reason: string | null) => void;

export type TrainedModelSpec = LoraSpec & {
  /** Its name is in the adapter's own files and in messages. */
  base: BaseModel;
};

/**
 * One request at a time; later ones wait. A request that fails leaves the weights, the optimizer and the gradients as
 * they were, unless a server computed it: then all later ones fail, too.
 */
export type ModelInTraining = {
  /** What is done otherwise than a job may ask, each with the name of the setting. */
  warnings: readonly string[];
  /** What was done for the model so far. */
  readonly usage: TrainingUsage;
  /** Scores rows without training. */
  forward(rows: TrainingRow[], through: ForwardThrough, signal?: AbortSignal): Promise<RowScores[]>;
  /**
   * Computes a loss and adds its gradient to those since the last optimizer step. The loss is the mean over all targets
   * of all rows, or their sum. It can be cancelled between rows.
   * @throws TrainingDiverged for a loss or a gradient that is not finite
   */
  forwardBackward(rows: TrainingRow[], loss: Loss, signal?: AbortSignal): Promise<ForwardBackwardResult>;
  /** One step of AdamW with the gradients since the last. @throws TrainingDiverged, Failure without a gradient */
  optimStep(options: OptimizerOptions): Promise<OptimizerResult>;
  saveState(): Promise<TrainingState>;
  /** Forgets gradients that no step has used. @throws Failure for a state of another shape */
  loadState(state: TrainingState): Promise<void>;
  saveWeightsForSampler(): Promise<Adapter>;
  close(): Promise<void>;
};
