import { z } from 'zod';
import { defineEndpoint } from '../endpoint.ts';
import { int } from '../wire.ts';
import { feedbackWindow, valueTypeSchema } from './stats.ts';

export const feedbackPayloadSchema = defineEndpoint({
  method: 'POST',
  path: '/feedback/payload_schema',
  group: 'Feedback',
  name: 'Feedback Payload Schema',
  description:
    'Tells which values payloads hold, from the newest payload of each trigger: what `/feedback/stats` can be asked.',
  body: z
    .object({
      ...feedbackWindow,
      sample_limit: int()
        .pipe(z.number().min(1).max(5000))
        .default(2000)
        .meta({ type: 'integer', minimum: 1, maximum: 5000 }),
    })
    .meta({ id: 'FeedbackPayloadSchemaReq' }),
  answer: {
    kind: 'json',
    schema: z
      .object({
        paths: z
          .array(
            z
              .object({ json_path: z.string(), value_type: valueTypeSchema.default('numeric') })
              .meta({ id: 'FeedbackPayloadPath' }),
          )
          .optional(),
      })
      .meta({ id: 'FeedbackPayloadSchemaRes' }),
  },
});
