import type { AggregatedUsage } from '../../contract/calls/aggregated-usage.ts';
import type { Price } from '../prices/price.ts';
import { tokenCosts } from '../prices/token-costs.ts';
import type { CallUsage, TokenCounts } from './call-usage.ts';

/** Tokens and what they cost, by model. */
export type UsageByModel = Map<string, UsageSum>;
export type UsageSum = Record<SummedName, number> & {
  /** Whether more may have been paid: some price or count is not known. */
  is_at_least: boolean;
  /** Whether less may have been paid, as for batches. */
  is_estimate: boolean;
};
type Mark = 'is_at_least' | 'is_estimate';
type SummedName = Exclude<keyof AggregatedUsage, Mark>;

/** The usage that a call itself reports for a model; null if all of it is zero. */
export function reportedUsage(usage: CallUsage, price: Price | null): UsageSum | null {
  const counts = {
    requests: usage.requests,
    prompt_tokens: usage.input,
    completion_tokens: usage.output,
    total_tokens: usage.total || usage.input + usage.output,
    cache_read_input_tokens: usage.cacheRead,
    cache_creation_input_tokens: usage.cacheCreation,
  };
  return Object.values(counts).some((count) => count !== 0) ? { ...counts, ...costFields(usage, price) } : null;
}

/** Adds the usage of `more` to `sums`. Sums that exist only in `more` are shared until they are added to. */
export function addUsage(sums: UsageByModel, more: UsageByModel): void {
  for (const [model, usage] of more) {
    const sum = sums.get(model);
    sums.set(model, sum ? plus(sum, usage) : usage);
  }
}

/** Whether both have the same tokens. */
export function equals(a: UsageSum, b: UsageSum): boolean {
  return compared.every((name) => a[name] === b[name]);
}

/** Whether `a` has at least the tokens of `b`, of each kind. */
export function isAtLeast(a: UsageSum, b: UsageSum): boolean {
  return compared.every((name) => a[name] >= b[name]);
}

/** Usage minus a part of it. */
export function minus(usage: UsageSum, part: UsageSum, price: Price | null): UsageSum {
  const left = (name: SummedName) => Math.max(0, usage[name] - part[name]);
  const counts = {
    requests: left('requests'),
    prompt_tokens: left('prompt_tokens'),
    completion_tokens: left('completion_tokens'),
    total_tokens: left('total_tokens'),
    cache_read_input_tokens: left('cache_read_input_tokens'),
    cache_creation_input_tokens: left('cache_creation_input_tokens'),
  };
  const tokens = {
    input: counts.prompt_tokens,
    output: counts.completion_tokens,
    cacheRead: counts.cache_read_input_tokens,
    cacheCreation: counts.cache_creation_input_tokens,
  };
  const parts = equals(usage, part)
    ? {}
    : { ignored_counts: Number(usage.is_at_least), other_terms: Number(usage.is_estimate) };
  return { ...counts, ...costFields({ ...tokens, total: null, requests: counts.requests, parts }, price) };
}

function plus(a: UsageSum, b: UsageSum): UsageSum {
  const sum = { ...a };
  for (const name of Object.keys(sum) as (keyof UsageSum)[]) {
    if (name === 'is_at_least' || name === 'is_estimate') sum[name] ||= b[name];
    else sum[name] += b[name];
  }
  return sum;
}

const compared = [
  'prompt_tokens',
  'completion_tokens',
  'cache_read_input_tokens',
  'cache_creation_input_tokens',
] as const;

function costFields(tokens: TokenCounts & { requests: number }, price: Price | null) {
  const costs = tokenCosts(tokens, price);
  return {
    prompt_tokens_total_cost: costs.prompt,
    completion_tokens_total_cost: costs.completion,
    cache_read_input_tokens_total_cost: costs.cacheRead,
    cache_creation_input_tokens_total_cost: costs.cacheCreation,
    other_total_cost: costs.other,
    unpriced_tokens: costs.unpricedTokens,
    is_at_least: costs.isAtLeast,
    is_estimate: costs.isEstimate,
  };
}
