import { z } from 'zod';
import { aggregationSchema } from '../aggregation.ts';
import { defineEndpoint } from '../endpoint.ts';
import { int, jsonObject, optional, timestamp } from '../wire.ts';

export const valueTypeSchema = z.enum(['numeric', 'boolean', 'categorical']);

/** Selects feedback: by time, by type, and by one trigger or all versions of it (`…:*`). */
export const feedbackWindow = {
  project_id: z.string(),
  start: timestamp(),
  end: optional(timestamp()),
  feedback_type: optional(z.string()),
  trigger_ref: optional(z.string()),
};

const metricSchema = z
  .object({
    json_path: z.string(),
    value_type: valueTypeSchema.default('numeric'),
    aggregations: z.array(aggregationSchema).optional(),
    percentiles: z.array(z.number()).optional(),
  })
  .meta({ id: 'FeedbackMetricSpec' });

export const feedbackStats = defineEndpoint({
  method: 'POST',
  path: '/feedback/stats',
  group: 'Feedback',
  name: 'Feedback Stats',
  description:
    'Sums up values of payloads over time. Without `granularity` the length of a bucket follows from the span.',
  body: z
    .object({
      ...feedbackWindow,
      granularity: optional(int()),
      timezone: z.string().default('UTC'),
      metrics: z.array(metricSchema).optional(),
    })
    .meta({ id: 'FeedbackStatsReq' }),
  answer: {
    kind: 'json',
    schema: z
      .object({
        start: timestamp(),
        end: timestamp(),
        granularity: int(),
        timezone: z.string(),
        buckets: z.array(jsonObject()).optional(),
        window_stats: optional(z.record(z.string(), z.record(z.string(), z.number().nullable()))),
      })
      .meta({ id: 'FeedbackStatsRes' }),
  },
});

export type FeedbackMetric = z.output<typeof metricSchema>;
