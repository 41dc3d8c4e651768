import { z } from 'zod';
import { bool, float, optional } from '../wire.ts';

/** What a step trains on, in readable form. Long texts are shortened. */
export const rollout = z
  .object({
    advantage: optional(float()).meta({ description: 'Null for supervised training.' }),
    pieces: z.array(
      z.object({
        text: z.string(),
        is_trained: bool(),
        tokens: optional(z.array(z.object({ text: z.string(), logprob: optional(float()) }))).meta({
          description: 'The text token by token, with the logprob of each when it was sampled, where it is known.',
        }),
      }),
    ),
  })
  .meta({ id: 'Rollout' });
