import { z } from 'zod';
import { defineEndpoint } from '../endpoint.ts';
import { sftConfig, sftExperimentalConfig } from '../training-jobs/sft-config.ts';
import { group } from '../training-jobs/training-job.ts';
import { bool, float, int, optional, text } from '../wire.ts';
import { callsSought, previewed, wantedModel } from './calls-sought.ts';

export const sftConfigs = { config: optional(sftConfig), experimental_config: optional(sftExperimentalConfig) };

export const trainingSftPreview = defineEndpoint({
  method: 'POST',
  path: '/calls/train_sft/preview',
  group,
  name: 'Preview Supervised Training From Calls',
  description:
    'Chooses the chats among calls and prepares them as a supervised job would, without storing anything. Their answers are ' +
    'what is learned.',
  body: z.object({ ...wantedModel, ...callsSought, ...sftConfigs }).meta({ id: 'TrainSftFromCallsPreviewReq' }),
  answer: {
    kind: 'json',
    schema: z
      .object({
        ...previewed,
        conversations: int(),
        held_out: int(),
        groups: int().meta({
          description: 'Groups of conversations that share a trace, a thread or a user, of those trained on.',
        }),
        held_out_groups: int().meta({ description: 'The same, of those held out.' }),
        too_long: int(),
        batch_size: int(),
        epochs: int(),
        learning_rate: z.union([float(), z.array(float())]),
        examples: z
          .array(z.array(z.object({ text: z.string(), is_trained: bool() })))
          .meta({ description: 'The first conversations, piece by piece.' }),
        chosen: z.array(text()).meta({ description: 'For `POST /calls/train_sft`.' }),
      })
      .meta({ id: 'TrainSftFromCallsPreviewRes' }),
  },
});
