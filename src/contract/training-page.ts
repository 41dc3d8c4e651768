import { z } from 'zod';
import { int, optional, text } from './wire.ts';

/** The maximum number of items on a page. */
const limitMax = 100;

/** The start and length of a page: `after` is the last id of the previous page. */
export const trainingPageQuery = z.object({
  // An empty string is the `last_id` of an empty page.
  after: optional(text()).transform((id) => id || null),
  limit: int()
    .refine((limit) => limit >= 1 && limit <= limitMax, {
      error: `Input should be between 1 and ${limitMax}`,
      params: { type: 'value_error' },
    })
    .default(20),
});

/** A page with OpenAI's cursors. Clients read `data` and `has_more`. */
export function trainingPage<Item extends z.ZodType>(item: Item, id: string) {
  return z
    .object({
      object: z.literal('list'),
      data: z.array(item),
      first_id: z.string(),
      last_id: z.string(),
      has_more: z.boolean(),
    })
    .meta({ id });
}
