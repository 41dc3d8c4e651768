import { z } from 'zod';
import { querySchema } from '../calls/filter.ts';
import { defineEndpoint } from '../endpoint.ts';

export const feedbackPurge = defineEndpoint({
  method: 'POST',
  path: '/feedback/purge',
  group: 'Feedback',
  name: 'Feedback Purge',
  description: 'Takes feedback away. The query names it by id: one `$eq`, or an `$or` of several.',
  body: z.object({ project_id: z.string(), query: querySchema }).meta({ id: 'FeedbackPurgeReq' }),
  answer: { kind: 'json', schema: z.object({}).meta({ id: 'FeedbackPurgeRes' }) },
});
