import { defineEndpoint } from '../endpoint.ts';
import { feedbackCreatedSchema, feedbackCreateSchema } from './feedback.ts';

export const feedbackCreate = defineEndpoint({
  method: 'POST',
  path: '/feedback/create',
  group: 'Feedback',
  name: 'Feedback Create',
  description:
    'Adds feedback to what a ref names: a call, an object, a turn of an agent. Types that begin with `wandb.` have rules of their own.',
  takesData: true,
  body: feedbackCreateSchema,
  answer: { kind: 'json', schema: feedbackCreatedSchema },
});
