import { z } from 'zod';
import { int, optional, text } from './wire.ts';

/** The query of a list with OpenAI's cursors. `after` is the last id of the previous page. */
export function openAiPageQuery(limits: { default: number; max: number }) {
  return z.object({
    after: optional(text()).transform((id) => id || null),
    limit: int()
      .refine((limit) => limit >= 1 && limit <= limits.max, {
        error: `Input should be between 1 and ${limits.max}`,
        params: { type: 'value_error' },
      })
      .default(limits.default),
  });
}

/** A page of such a list. */
export function openAiPage<Item extends z.ZodType>(item: Item, id: string) {
  return z
    .object({
      object: z.literal('list'),
      data: z.array(item),
      first_id: z.string().nullable(),
      last_id: z.string().nullable(),
      has_more: z.boolean(),
    })
    .meta({ id });
}
