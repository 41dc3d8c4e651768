import { z } from 'zod';
import { callsFilterSchema, querySchema } from '../calls/filter.ts';
import { defineEndpoint } from '../endpoint.ts';
import { callsMax } from '../training-from-calls/calls-sought.ts';
import { float, int, optional, text } from '../wire.ts';
import { group } from './suite.ts';

const side = z.object({ groups: int(), rows: int() });

export const callsHoldOut = defineEndpoint({
  method: 'POST',
  path: '/calls/hold_out',
  group,
  name: 'Calls Hold Out',
  description:
    'Makes a dataset of a share of the chats among calls, so that no root trace, thread or user is on both sides. Freeze it as a suite ' +
    'of the purpose `held_out` to keep it out of training, and train on the calls of `training_call_ids`. Placeholders such as `anonymous` are ' +
    'no users, nor are names with more than a fifth of the rows.',
  body: z
    .object({
      project_id: text(),
      /** Of the dataset. */
      name: text(),
      filter: optional(callsFilterSchema),
      query: optional(querySchema),
      limit: int()
        .refine((limit) => limit >= 1 && limit <= callsMax, `Input should be from 1 to ${callsMax}`)
        .default(callsMax),
      held_out_share: float()
        .refine((share) => share > 0 && share < 1, 'Input should be greater than 0 and less than 1')
        .default(0.1),
      /** Chooses the groups. */
      seed: int().default(0),
    })
    .meta({ id: 'CallsHoldOutReq' }),
  answer: {
    kind: 'json',
    schema: z
      .object({
        /** The ref of the dataset of what is held out. */
        dataset: z.string(),
        /** Groups of chats that share a trace, a thread or a user. */
        held_out: side,
        training: side,
        /** Calls that are not chats. */
        skipped: int(),
        training_call_ids: z.array(z.string()),
      })
      .meta({ id: 'CallsHoldOutRes' }),
  },
});
