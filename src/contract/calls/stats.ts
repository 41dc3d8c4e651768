import { z } from 'zod';
import { aggregationSchema } from '../aggregation.ts';
import { defineEndpoint } from '../endpoint.ts';
import { float, int, optional, timestamp } from '../wire.ts';
import { callsFilterSchema, querySchema } from './filter.ts';

/** How the values of a metric are aggregated. */
const wanted = {
  aggregations: z.array(aggregationSchema).default(['sum']),
  percentiles: z.array(float()).default([]),
};

const usageMetric = z.enum([
  'input_tokens',
  'output_tokens',
  'total_tokens',
  'cache_read_input_tokens',
  'cache_creation_input_tokens',
  'input_cost',
  'output_cost',
  'total_cost',
]);
const callMetric = z.enum(['latency_ms', 'call_count', 'error_count']);

const statsGrouping = z.enum(['op', 'user', 'model']);

const statsGroupSchema = z
  .object({
    name: z.string().meta({ description: 'An op, the id of a user, or a model; empty for calls without one.' }),
    title: z.string().meta({ description: 'The name of the user; otherwise as `name`.' }),
    calls: int(),
  })
  .meta({ id: 'CallStatsGroup' });

const buckets = () => z.array(z.record(z.string(), z.unknown())).default([]);

export const callsStats = defineEndpoint({
  method: 'POST',
  path: '/calls/stats',
  group: 'Calls',
  name: 'Call Stats',
  description:
    'Measures the calls that started from `start` until before `end`, in buckets of `granularity` seconds: `call_buckets` over all calls, `usage_buckets` by model. Buckets without calls are there too. `query` selects calls as in `/calls/stream_query`. A request that two tracers report counts once. ' +
    'With `group_by` every bucket is there once for each group, which it names as `group`; only the `group_limit` groups ' +
    'with most calls are measured. A call belongs to the group of each model that it reports.',
  body: z
    .object({
      project_id: z.string(),
      start: timestamp(),
      end: optional(timestamp()),
      granularity: optional(int()),
      usage_metrics: optional(z.array(z.object({ metric: usageMetric, ...wanted }).meta({ id: 'UsageMetricSpec' }))),
      call_metrics: optional(z.array(z.object({ metric: callMetric, ...wanted }).meta({ id: 'CallMetricSpec' }))),
      filter: optional(callsFilterSchema),
      query: optional(querySchema),
      timezone: z.string().default('UTC'),
      group_by: optional(statsGrouping),
      group_limit: int().pipe(z.number().min(1).max(20)).default(6).meta({ type: 'integer', minimum: 1, maximum: 20 }),
    })
    .meta({ id: 'CallStatsReq' }),
  answer: {
    kind: 'json',
    schema: z
      .object({
        start: timestamp(),
        end: timestamp(),
        granularity: int(),
        timezone: z.string(),
        usage_buckets: buckets(),
        call_buckets: buckets(),
        groups: z.array(statsGroupSchema).optional(),
        group_count: int()
          .optional()
          .meta({ description: 'How many groups there are, also those that are not measured.' }),
      })
      .meta({ id: 'CallStatsRes' }),
  },
});
