import type { Micros } from '../calls/call-row.ts';
import type { PriceBook } from '../prices/price-book.ts';
import { tokenCosts, totalCost } from '../prices/token-costs.ts';
import type { UsageParts } from '../usage/call-usage.ts';
import { aggregateKey } from './measured.ts';
import type { MeasuredUsage } from './measured-usage.ts';
import type { CostMetric, TokenMetric } from './metrics.ts';
import type { Wanted } from './wanted.ts';

/**
 * The tokens of a bucket and a model that all have the same price: of one provider, in one stretch of time, with prompts of
 * one tier.
 */
export type PricedSums = {
  bucket: number;
  model: string;
  callGroup?: string;
  provider: string;
  count: number;
  /** Of one of these calls, like all of which the others are priced. */
  startedAt: Micros;
  longestInput: number;
  /** More than 1 for calls that add up several requests. */
  mostRequests: number;
  requests: number;
  /** With the cached tokens, where a call has them beside it. */
  pricedInput: number;
  ofUnknownKind: number;
  parts: UsageParts;
} & Record<`sum_${TokenMetric}`, number>;

/** What these tokens cost. */
export type Charges = {
  bucket: number;
  model: string;
  callGroup: string | undefined;
  costs: Record<CostMetric, number>;
  unpricedTokens: number;
  isAtLeast: boolean;
  isEstimate: boolean;
};

export function chargesOf(sums: PricedSums, prices: PriceBook): Charges {
  const { bucket, model, callGroup, provider, longestInput, mostRequests, parts } = sums;
  const price = prices.at({ model, provider, input: longestInput, requests: mostRequests }, sums.startedAt);
  const counts = {
    input: sums.pricedInput,
    output: sums.sum_output_tokens,
    cacheRead: sums.sum_cache_read_input_tokens,
    cacheCreation: sums.sum_cache_creation_input_tokens,
  };
  const costs = tokenCosts({ ...counts, parts, total: null, requests: sums.requests }, price);
  return {
    ...{ bucket, model, callGroup },
    costs: { input_cost: costs.prompt, output_cost: costs.completion, total_cost: totalCost(costs) },
    unpricedTokens: costs.unpricedTokens + sums.ofUnknownKind,
    isAtLeast: costs.isAtLeast || sums.ofUnknownKind > 0,
    isEstimate: costs.isEstimate,
  };
}

/** The sums of costs in a bucket of one model by their keys, and what they leave out; nothing if no costs are wanted. */
export function costSums(costs: CostMetric[], charges: Charges[]): Record<string, number | boolean> {
  if (costs.length === 0) return {};
  const sum = (of: (each: Charges) => number) => charges.reduce((total, each) => total + of(each), 0);
  return {
    ...Object.fromEntries(costs.map((cost) => [aggregateKey('sum', cost), sum((each) => each.costs[cost])])),
    unpriced_tokens: sum(({ unpricedTokens }) => unpricedTokens),
    is_at_least: charges.some(({ isAtLeast }) => isAtLeast),
    is_estimate: charges.some(({ isEstimate }) => isEstimate),
  };
}

/** Whether the tokens to show can be added up from those that are priced. */
export function areSums(shown: Wanted[]): boolean {
  return shown.every(({ aggregations, percentiles }) => percentiles.length === 0 && String(aggregations) === 'sum');
}

export function sumsOfCharges(charged: PricedSums[]): MeasuredUsage[] {
  const byKey = Map.groupBy(charged, ({ bucket, model, callGroup }) => JSON.stringify([bucket, model, callGroup]));
  return [...byKey.values()].map((rows) => {
    const { bucket, model, callGroup } = rows[0]!;
    const sum = (of: (row: PricedSums) => number) => rows.reduce((total, row) => total + of(row), 0);
    const sums = tokenSums.map((name) => [name, sum((row) => row[name])] as const);
    const group = callGroup === undefined ? {} : { callGroup };
    return { bucket, model, ...group, count: sum(({ count }) => count), ...Object.fromEntries(sums) };
  });
}

const tokenSums: (keyof PricedSums & `sum_${string}`)[] = [
  'sum_input_tokens',
  'sum_output_tokens',
  'sum_total_tokens',
  'sum_cache_read_input_tokens',
  'sum_cache_creation_input_tokens',
];
