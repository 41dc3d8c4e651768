import { z } from 'zod';
import { defineEndpoint } from '../endpoint.ts';
import { rlConfig } from '../training-jobs/rl-config.ts';
import { rollout } from '../training-jobs/rollout.ts';
import { group } from '../training-jobs/training-job.ts';
import { float, int, optional, text } from '../wire.ts';
import { callsSought, previewed, wantedModel } from './calls-sought.ts';

const range = z.object({ min: float(), mean: float(), max: float() });

/** An attempt: calls that share one reward, the first one first. */
export const chosenGroups = z.array(z.array(z.object({ call_ids: z.array(text()), reward: float() })));

export const trainingRlPreview = defineEndpoint({
  method: 'POST',
  path: '/calls/train/preview',
  group,
  name: 'Preview Rl Training From Calls',
  description:
    'Chooses the chats among calls, groups them and prepares them as a reinforcement learning job would, without storing ' +
    'anything. The reward is the name of a scorer, an annotation or a feedback type, with `.PATH` for a field of its value, or ' +
    'the path of a field of the call. Calls are compared with those of the same prompt, of the same value of the field ' +
    '`group_by`, or with `all`.',
  body: z
    .object({
      ...wantedModel,
      ...callsSought,
      reward: text(),
      group_by: text().default('prompt'),
      experimental_config: optional(rlConfig),
    })
    .meta({ id: 'TrainFromCallsPreviewReq' }),
  answer: {
    kind: 'json',
    schema: z
      .object({
        ...previewed,
        groups: int(),
        single_groups: int().meta({ description: 'Groups of one trajectory, from which nothing is learned.' }),
        equal_groups: int().meta({ description: 'Groups of equal rewards, from which nothing is learned.' }),
        trajectories: int(),
        rewards: range,
        advantages: range,
        exact_tokens: int().meta({ description: "Trained tokens with the sampler's own ids." }),
        reconstructed_tokens: int().meta({ description: 'Trained tokens that were tokenized anew.' }),
        learning_rate: float(),
        examples: z.array(rollout).meta({ description: 'Of the first step.' }),
        chosen: chosenGroups.meta({ description: 'For `POST /calls/train`.' }),
      })
      .meta({ id: 'TrainFromCallsPreviewRes' }),
  },
});
