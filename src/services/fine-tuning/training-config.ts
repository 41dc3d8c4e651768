import type { FineTuningMethod } from '../../contract/fine-tuning/method.ts';
import type { SftJobConfig } from '../../contract/training-jobs/sft-config.ts';
import { baseLearningRate, hyperparametersOf } from '../../domain/fine-tuning/method.ts';
import type { DpoSettings } from '../../domain/training/dpo-settings.ts';
import type { TrainingKind } from '../../domain/training/job.ts';
import type { RftSettings } from '../../domain/training/rft-settings.ts';

/** Answers to a prompt with a compute multiplier of 1. */
const samplesUsual = 8;
const samplesMax = 64;

/** The training job for a method. */
export function trainingConfig(
  method: FineTuningMethod,
  { hiddenSize, trainingFile }: { hiddenSize: number; trainingFile: string },
): { kind: TrainingKind; config: Record<string, unknown> } {
  const { n_epochs: epochs, batch_size: batchSize, learning_rate_multiplier: multiplier } = hyperparametersOf(method);
  const learningRate = multiplier * baseLearningRate(method.type, hiddenSize);
  switch (method.type) {
    case 'supervised': {
      const config = {
        training_data_url: trainingFile,
        config: { batch_size: batchSize, learning_rate: learningRate },
        experimental_config: { epochs },
      };
      return { kind: 'sft', config: config satisfies Partial<Record<keyof SftJobConfig, unknown>> };
    }
    case 'dpo': {
      const { beta } = method.dpo.hyperparameters;
      return { kind: 'dpo', config: { batchSize, learningRate, epochs, beta } satisfies DpoSettings };
    }
    case 'reinforcement': {
      const { grader, hyperparameters } = method.reinforcement;
      const effort = hyperparameters.reasoning_effort;
      const config: RftSettings = {
        ...{ batchSize, learningRate, epochs, grader },
        samples: Math.min(Math.max(Math.round(samplesUsual * hyperparameters.compute_multiplier), 2), samplesMax),
        evalInterval: hyperparameters.eval_interval,
        evalSamples: hyperparameters.eval_samples,
        reasoningEffort: effort === 'default' ? null : effort,
      };
      return { kind: 'rft', config };
    }
    default:
      return method satisfies never;
  }
}
