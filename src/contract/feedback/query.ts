import { z } from 'zod';
import { defineEndpoint } from '../endpoint.ts';
import { rowsQuery } from '../rows-query.ts';
import { int, jsonObject } from '../wire.ts';

export const feedbackQuery = defineEndpoint({
  method: 'POST',
  path: '/feedback/query',
  group: 'Feedback',
  name: 'Feedback Query',
  description: 'Finds feedback. `fields` selects columns, or places such as `payload.score`, which come back as text.',
  body: z.object(rowsQuery).meta({ id: 'FeedbackQueryReq' }),
  answer: {
    kind: 'json',
    schema: z
      .object({ result: z.array(jsonObject()), total_count: int().meta({ minimum: 0 }) })
      .meta({ id: 'FeedbackQueryRes' }),
  },
});
