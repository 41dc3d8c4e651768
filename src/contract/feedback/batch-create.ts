import { z } from 'zod';
import { defineEndpoint } from '../endpoint.ts';
import { feedbackCreatedSchema, feedbackCreateSchema } from './feedback.ts';

export const feedbackBatchCreate = defineEndpoint({
  method: 'POST',
  path: '/feedback/batch/create',
  group: 'Feedback',
  name: 'Feedback Create Batch',
  description: 'Adds all the feedback of a batch or, where one item is wrong, none of it.',
  takesData: true,
  body: z.object({ batch: z.array(feedbackCreateSchema) }).meta({ id: 'FeedbackCreateBatchReq' }),
  answer: {
    kind: 'json',
    schema: z.object({ res: z.array(feedbackCreatedSchema) }).meta({ id: 'FeedbackCreateBatchRes' }),
  },
});
