import { z } from 'zod';
import { defineEndpoint } from '../endpoint.ts';
import { feedbackFields, feedbackReplacedSchema } from './feedback.ts';

export const feedbackReplace = defineEndpoint({
  method: 'POST',
  path: '/feedback/replace',
  group: 'Feedback',
  name: 'Feedback Replace',
  description: 'Puts new feedback, with an id of its own, in the place of other feedback.',
  takesData: true,
  body: z.object({ ...feedbackFields, feedback_id: z.string() }).meta({ id: 'FeedbackReplaceReq' }),
  answer: { kind: 'json', schema: feedbackReplacedSchema },
});
