import type { Adapter } from '../../engine/adapters/adapter.ts';
import type { ModelConfig } from '../../engine/models/config.ts';
import { readConfig } from '../../engine/models/open-source.ts';
import { LoraModel, type LoraModelOptions } from '../../engine/training/model/lora-model.ts';
import type { TrainingRow } from '../../engine/training/row.ts';
import {
  closeTrainingSession,
  openTrainingSession,
  type SessionOptions,
  type TrainingSession,
} from '../../engine/training/run/training-session.ts';
import type {
  ForwardBackwardResult,
  ForwardThrough,
  Loss,
  OptimizerOptions,
  OptimizerResult,
  RowScores,
  TrainingState,
} from '../../engine/training/types.ts';
import type { Scope } from '../../util/workers/messages.ts';
import { serveRequests } from '../../util/workers/serve-requests.ts';

let session: TrainingSession | null = null;
let model: LoraModel | null = null;

const handlers = {
  /** What the base model is, before it is loaded. */
  inspect: (path: string): Promise<ModelConfig> => readConfig(path),

  async open({ path, session: options }: { path: string; session: SessionOptions }): Promise<void> {
    // Set before ONNX Runtime starts, to disable its telemetry and the id that it stores in the home directory.
    process.env.ORT_DISABLE_TELEMETRY = '1';
    session = await openTrainingSession(path, options);
  },

  create(options: LoraModelOptions): void {
    model = new LoraModel(session!, options);
  },

  /** The base model stays open for the next one. */
  discard(): void {
    model = null;
  },

  forward: (
    { rows, through }: { rows: TrainingRow[]; through: ForwardThrough },
    { signal }: Scope<never>,
  ): Promise<RowScores[]> => model!.forward(rows, through, signal),

  forwardBackward: (
    { rows, loss }: { rows: TrainingRow[]; loss: Loss },
    { signal }: Scope<never>,
  ): Promise<ForwardBackwardResult> => model!.forwardBackward(rows, loss, signal),

  optimStep: (options: OptimizerOptions): OptimizerResult => model!.optimStep(options),

  saveState: (): TrainingState => model!.saveState(),

  loadState: (state: TrainingState): void => model!.loadState(state),

  saveWeightsForSampler: (): Adapter => model!.adapter(),
};

export type TrainerProcess = typeof handlers;

/** Serves a base model, and one model in training at a time over it, to the process that started this one, one request after the other. */
export function serveTrainer(): void {
  serveRequests(handlers, {
    order: 'sequence',
    async onClose() {
      if (session) await closeTrainingSession(session);
    },
  });
}
