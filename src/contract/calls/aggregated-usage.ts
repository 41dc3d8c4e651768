import { z } from 'zod';
import { bool, float, int, optional } from '../wire.ts';

const count = () => int().default(0);
const cost = () => optional(float());

const aggregatedUsageSchema = z
  .object({
    requests: count(),
    prompt_tokens: count(),
    completion_tokens: count(),
    total_tokens: count(),
    cache_read_input_tokens: count(),
    cache_creation_input_tokens: count(),
    prompt_tokens_total_cost: cost(),
    completion_tokens_total_cost: cost(),
    cache_read_input_tokens_total_cost: cost(),
    cache_creation_input_tokens_total_cost: cost(),
    other_total_cost: cost().meta({ description: 'Paid beside tokens: for requests and searches of the web.' }),
    unpriced_tokens: optional(int()).meta({ description: 'Tokens without a known price, which the costs leave out.' }),
    is_at_least: optional(bool()).meta({
      description: 'Whether more may have been paid: the price of some tokens, or one of their counts, is not known.',
    }),
    is_estimate: optional(bool()).meta({
      description: 'Whether less may have been paid: some requests had other terms than the prices, such as batches.',
    }),
  })
  .meta({ id: 'LLMAggregatedUsage' });

const byKey = () => z.record(z.string(), z.record(z.string(), aggregatedUsageSchema));

/** The contents of the responses of `/calls/usage` and `/trace/usage`. */
export const usageAnswerFields = {
  call_usage: byKey().meta({
    description:
      'By call and model: what the call reports, and what each call below it reports. Where a client has added the usage ' +
      'of children to their parent, as the SDKs do, it is in this sum more than once. A request that a span of ' +
      'OpenTelemetry reports beside another call counts once.',
  }),
  call_usage_counted_once: byKey().meta({
    description:
      'As `call_usage`, with every token counted once. What a call reports of a model is taken to contain what its ' +
      'children that had ended before it report, where it has at least their tokens of each kind: the SDKs add them up. ' +
      'An OpenTelemetry span is taken to report its own usage, unless that is just the sum of what is below it.',
  }),
  trace_usage: byKey().meta({
    description:
      'By trace and model, as `call_usage_counted_once`: what all of these calls use that are of the trace; in `/calls/usage`, ' +
      'all calls of the trace. It may have several calls whose parent is not stored.',
  }),
  unfinished_call_ids: z
    .array(z.string())
    .meta({ description: 'The calls looked at that still run: their usage may not be known yet.' }),
};

export type AggregatedUsage = z.output<typeof aggregatedUsageSchema>;
