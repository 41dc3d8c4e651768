import type { AggregatedUsage } from '../../contract/calls/aggregated-usage.ts';
import type { RolledUsage } from '../../domain/usage/roll-up.ts';
import type { UsageByModel, UsageSum } from '../../domain/usage/usage-sum.ts';
import type { UseOfCalls } from '../../services/calls/use-of-calls.ts';

/** Gathers the answer of a usage request, call by call. */
export type UsageAnswer = {
  call_usage: Record<string, Record<string, AggregatedUsage>>;
  call_usage_counted_once: Record<string, Record<string, AggregatedUsage>>;
  trace_usage: Record<string, Record<string, AggregatedUsage>>;
  unfinished_call_ids: string[];
};

export function usageAnswer(
  { usage, ofTraces, unfinishedIds }: UseOfCalls,
  { includeCosts }: { includeCosts: boolean },
): UsageAnswer {
  const show = (of: (usage: RolledUsage) => UsageByModel) =>
    Object.fromEntries([...usage].map(([id, found]) => [id, found ? modelsList(of(found), includeCosts) : {}]));
  return {
    call_usage: show(({ reported }) => reported),
    call_usage_counted_once: show(({ countedOnce }) => countedOnce),
    trace_usage: Object.fromEntries([...ofTraces].map(([id, total]) => [id, modelsList(total, includeCosts)])),
    unfinished_call_ids: [...unfinishedIds].sort(),
  };
}

function modelsList(models: UsageByModel, includeCosts: boolean): Record<string, AggregatedUsage> {
  return Object.fromEntries([...models].map(([model, sum]) => [model, includeCosts ? sum : { ...sum, ...noCosts }]));
}

const noCosts = {
  prompt_tokens_total_cost: null,
  completion_tokens_total_cost: null,
  cache_read_input_tokens_total_cost: null,
  cache_creation_input_tokens_total_cost: null,
  other_total_cost: null,
  unpriced_tokens: null,
  is_at_least: null,
  is_estimate: null,
} satisfies { [Name in keyof UsageSum]?: null };
