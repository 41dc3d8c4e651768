import { z } from 'zod';
import { bool, float, int, optional } from '../wire.ts';

/** How a supervised job trains. Absent and null values default to those of `domain/training/sft-settings.ts`. */
export const sftConfig = z
  .looseObject({
    batch_size: optional(z.union([z.literal('auto'), int()])),
    learning_rate: optional(z.union([float(), z.array(float())])),
    assistant_turns: optional(z.enum(['all', 'last'])),
    metric_logging: optional(
      z.looseObject({ enabled: optional(bool()), target_training_step: optional(int()) }).meta({ id: 'MetricLogging' }),
    ),
  })
  .meta({ id: 'SFTTrainingConfig' });

/** Extensions of heddle. */
export const sftExperimentalConfig = z
  .looseObject({
    held_out_share: optional(float()),
    epochs: optional(int()),
    learning_rate_schedule: optional(z.enum(['constant', 'linear', 'cosine'])),
    warmup_steps: optional(int()),
  })
  .meta({ id: 'ExperimentalSFTTrainingConfig' });

/** As jobs store it. */
export const sftJobConfig = z.object({
  training_data_url: z.string(),
  config: optional(sftConfig),
  experimental_config: optional(sftExperimentalConfig),
});

export type SftJobConfig = z.output<typeof sftJobConfig>;
