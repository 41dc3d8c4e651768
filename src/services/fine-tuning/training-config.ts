import type { FineTuningMethod } from '../../contract/fine-tuning/method.ts';
import type { SftJobConfig } from '../../contract/training-jobs/sft-config.ts';
import { baseLearningRate, hyperparametersOf } from '../../domain/fine-tuning/method.ts';
import type { DpoSettings } from '../../domain/training/dpo-settings.ts';
import type { TrainingKind } from '../../store/postgres/schema.ts';

/** The training job that does what a method says. */
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
    default:
      return method satisfies never;
  }
}
