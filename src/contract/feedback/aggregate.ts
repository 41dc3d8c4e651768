import { z } from 'zod';
import { defineEndpoint } from '../endpoint.ts';
import { int, optional } from '../wire.ts';

const texts = () => z.array(z.string()).optional();
const whole = (bounds: { minimum?: number; exclusiveMinimum?: number }) =>
  int()
    .pipe(bounds.minimum === undefined ? z.number().gt(bounds.exclusiveMinimum!) : z.number().min(bounds.minimum))
    .meta({ type: 'integer', ...bounds });

const groupings = ['scorer_id', 'span_agent_name', 'span_agent_version', 'span_status_code'] as const;

export const feedbackAggregate = defineEndpoint({
  method: 'POST',
  path: '/feedback/aggregate',
  group: 'Feedback',
  name: 'Aggregate typed scorer feedback (tags, ratings) over time buckets.',
  description:
    'Counts tags and sums ratings. Ids and types take a trailing `*` for all that begin so; the lists of one request are joined with AND.',
  body: z
    .object({
      project_id: z.string(),
      after_ms: whole({ minimum: 0 }),
      before_ms: whole({ minimum: 0 }),
      time_bucket_seconds: optional(whole({ exclusiveMinimum: 0 })),
      feedback_types: texts(),
      tags: texts(),
      rating_min: optional(z.number().min(0).max(1)),
      rating_max: optional(z.number().min(0).max(1)),
      monitor_ids: texts(),
      scorer_ids: texts(),
      span_agent_names: texts(),
      span_types: z.array(z.enum(['agent_turn', 'agent_conversation'])).optional(),
      group_by: z.array(z.enum(groupings)).optional(),
    })
    .meta({ id: 'FeedbackAggregateReq' }),
  answer: {
    kind: 'json',
    schema: z
      .object({
        time_bucket_seconds: optional(int()),
        after_ms: int(),
        before_ms: int(),
        buckets: z.array(
          z
            .object({
              time_bucket_start_ms: optional(int()),
              group: z.record(z.string(), z.string()),
              total_count: int(),
              scored_count: int(),
              tag_counts: z.record(z.string(), int()),
              rating_counts: z.record(z.string(), int()),
              rating_sums: z.record(z.string(), z.number()),
            })
            .meta({ id: 'FeedbackAggregateBucket' }),
        ),
      })
      .meta({ id: 'FeedbackAggregateRes' }),
  },
});
