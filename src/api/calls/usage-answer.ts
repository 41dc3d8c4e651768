import type { AggregatedUsage } from '../../contract/calls/aggregated-usage.ts';
import type { RolledUsage, UsageCall } from '../../domain/usage/roll-up.ts';
import type { UsageByModel, UsageSum } from '../../domain/usage/usage-sum.ts';

/** Gathers the answer of a usage request, call by call. */
export type UsageAnswer = {
  call_usage: Record<string, Record<string, AggregatedUsage>>;
  call_usage_counted_once: Record<string, Record<string, AggregatedUsage>>;
  unfinished_call_ids: string[];
};

/** @param usage of each call to be answered, null of one that is not known. */
export function usageAnswer(
  usage: Iterable<[id: string, usage: RolledUsage | null]>,
  unfinished: string[],
  { hasCosts }: { hasCosts: boolean },
): UsageAnswer {
  const rolled = [...usage];
  const show = (of: (usage: RolledUsage) => UsageByModel) =>
    Object.fromEntries(rolled.map(([id, found]) => [id, found ? showModels(of(found), hasCosts) : {}]));
  return {
    call_usage: show(({ reported }) => reported),
    call_usage_counted_once: show(({ countedOnce }) => countedOnce),
    unfinished_call_ids: unfinished.sort(),
  };
}

export function unfinishedIds(calls: UsageCall[]): string[] {
  return calls.filter(({ endedAt }) => endedAt === null).map(({ id }) => id);
}

function showModels(models: UsageByModel, hasCosts: boolean): Record<string, AggregatedUsage> {
  return Object.fromEntries([...models].map(([model, sum]) => [model, hasCosts ? sum : { ...sum, ...noCosts }]));
}

const noCosts = {
  prompt_tokens_total_cost: null,
  completion_tokens_total_cost: null,
  cache_read_input_tokens_total_cost: null,
  cache_creation_input_tokens_total_cost: null,
} satisfies { [Name in keyof UsageSum]?: null };
