import { z } from 'zod';
import { defineEndpoint } from '../endpoint.ts';
import { bool, optional, text } from '../wire.ts';
import { group, params, path } from './path.ts';

export const tensorZeroFeedback = defineEndpoint({
  method: 'POST',
  path: `${path}/feedback`,
  group,
  name: 'TensorZero Feedback',
  description:
    'Adds feedback on an inference, or on all inferences of an episode. `metric_name` is a metric of the project, `comment` or ' +
    '`demonstration`. A reward finds it as `METRIC.value`.',
  errors: 'tensorZero',
  params,
  body: z
    .object({
      metric_name: text(),
      value: z.unknown(),
      inference_id: optional(text()),
      episode_id: optional(text()),
      tags: z.record(z.string(), z.string()).default({}),
      dryrun: optional(bool()),
      internal: bool().default(false),
    })
    .meta({ id: 'TensorZeroFeedbackReq' }),
  answer: { kind: 'json', schema: z.object({ feedback_id: z.string() }).meta({ id: 'TensorZeroFeedbackRes' }) },
});
