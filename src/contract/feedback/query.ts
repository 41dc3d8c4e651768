import { z } from 'zod';
import { querySchema, sortBySchema } from '../calls/filter.ts';
import { defineEndpoint } from '../endpoint.ts';
import { int, jsonObject, optional } from '../wire.ts';

export const feedbackQuery = defineEndpoint({
  method: 'POST',
  path: '/feedback/query',
  group: 'Feedback',
  name: 'Feedback Query',
  description: 'Finds feedback. `fields` selects columns, or places such as `payload.score`, which come back as text.',
  body: z
    .object({
      project_id: z.string(),
      fields: optional(z.array(z.string())),
      query: optional(querySchema),
      sort_by: optional(z.array(sortBySchema)),
      limit: optional(int()),
      offset: optional(int()),
    })
    .meta({ id: 'FeedbackQueryReq' }),
  answer: {
    kind: 'json',
    schema: z
      .object({ result: z.array(jsonObject()), total_count: int().meta({ minimum: 0 }) })
      .meta({ id: 'FeedbackQueryRes' }),
  },
});
