import { type SftJobConfig, sftConfig, sftExperimentalConfig } from '../../contract/training-jobs/sft-config.ts';
import { type LearningRateSchedule, learningRateAt } from './learning-rate.ts';
import { unknownKeys } from './unknown-keys.ts';

/** How a supervised job trains, with every default filled in (`docs/training.md`). */
export type SftSettings = {
  /** Conversations of one optimizer step. */
  batchSize: number;
  /** For all steps, or one per step. */
  learningRate: number | number[];
  /** How a single learning rate changes over the steps. */
  schedule: LearningRateSchedule['kind'];
  warmupSteps: number;
  /** Whether only the last answer of a conversation is trained. */
  trainsLastAnswer: boolean;
  /** The share of the conversations that are not trained on, from 0 to 1. */
  heldOutShare: number;
  /** How often each conversation is trained on. */
  epochs: number;
  /** Whether the steps are logged to the wandb run of the model, and the step of the model that they lead to. */
  metricLogging: { trainingStep: number | null } | null;
};

const defaults = { batchSize: 2, learningRate: 5e-5 };

/** @returns the settings, and a warning for each key that has no effect */
export function sftSettings({ config, experimental_config: experimental }: SftJobConfig): {
  settings: SftSettings;
  warnings: string[];
} {
  const batchSize = config?.batch_size ?? 'auto';
  const logging = config?.metric_logging;
  const settings: SftSettings = {
    batchSize: batchSize === 'auto' ? defaults.batchSize : batchSize,
    learningRate: config?.learning_rate ?? defaults.learningRate,
    schedule: experimental?.learning_rate_schedule ?? 'constant',
    warmupSteps: experimental?.warmup_steps ?? 0,
    trainsLastAnswer: config?.assistant_turns === 'last',
    heldOutShare: experimental?.held_out_share ?? 0,
    epochs: experimental?.epochs ?? 1,
    metricLogging: logging?.enabled ? { trainingStep: logging.target_training_step ?? null } : null,
  };
  const warnings = [
    ...unknownKeys('config', config, sftConfig.shape),
    ...unknownKeys('experimental_config', experimental, sftExperimentalConfig.shape),
  ];
  return { settings, warnings };
}

/** The learning rate of one of these steps, counted from 0. Schedules start from and fall to 0. */
export function learningRateOf(settings: SftSettings, step: number, steps: number): number {
  const { learningRate, schedule: kind, warmupSteps } = settings;
  if (typeof learningRate !== 'number') return learningRate[step]!;
  return learningRateAt({ kind, peak: learningRate, min: 0, steps, warmupSteps }, step);
}

/** The bounds of settings, for a clear error before a job is queued. @returns what is wrong with a key */
export function sftConfigFault(job: Pick<SftJobConfig, 'config' | 'experimental_config'>) {
  const { batch_size: batchSize, learning_rate: rate } = job.config ?? {};
  const rates = Array.isArray(rate) ? rate : [rate ?? 0];
  const heldOut = job.experimental_config?.held_out_share ?? 0;
  if (typeof batchSize === 'number' && batchSize < 1) return fault('config.batch_size', 'Input should be 1 or more');
  if (rates.length === 0) return fault('config.learning_rate', 'Input should have a value for each batch');
  if (rates.some((each) => each < 0)) return fault('config.learning_rate', 'Input should be 0 or more');
  const { learning_rate_schedule: schedule, warmup_steps: warmupSteps } = job.experimental_config ?? {};
  if ((warmupSteps ?? 0) < 0) return fault('experimental_config.warmup_steps', 'Input should be 0 or more');
  if (Array.isArray(rate) && (schedule || warmupSteps)) {
    return fault('config.learning_rate', 'Input should be one number if there is a schedule or a warm-up');
  }
  if ((job.experimental_config?.epochs ?? 1) < 1) {
    return fault('experimental_config.epochs', 'Input should be 1 or more');
  }
  if ((job.config?.metric_logging?.target_training_step ?? 0) < 0) {
    return fault('config.metric_logging.target_training_step', 'Input should be 0 or more');
  }
  if (heldOut < 0 || heldOut >= 1) {
    return fault('experimental_config.held_out_share', 'Input should be from 0 to less than 1');
  }
  return null;
}

function fault(key: string, message: string) {
  return { key, message };
}
