import type { UsageMetric } from '../../contract/calls/stats.ts';
import type { Price } from '../prices/price-book.ts';
import { tokenCosts } from '../prices/token-costs.ts';
import { aggregateKey, type Measured } from './measured.ts';
import { merge, type Wanted, wantedOf } from './wanted.ts';

export type CostMetric = 'input_cost' | 'output_cost' | 'total_cost';
export type TokenMetric = Exclude<UsageMetric, CostMetric>;

/** What to measure, and what to show, for a usage request. */
export type UsagePlan = {
  /** Costs need the sums of all their tokens. */
  measured: Wanted<TokenMetric>[];
  shown: Wanted<TokenMetric>[];
  /** Costs are always sums, whatever was requested. */
  costs: CostMetric[];
};

/** @throws Failure as `wantedOf` does. */
export function usagePlan(specs: Wanted<UsageMetric>[]): UsagePlan {
  const wanted = wantedOf(specs);
  const costs = wanted.map(({ metric }) => metric).filter(isCost);
  const tokens = wanted.filter((each): each is Wanted<TokenMetric> => !isCost(each.metric));
  const shown = merge([...tokens, ...costs.flatMap((cost) => shownWith[cost]).map(sumOf)]);
  return { measured: costs.length > 0 ? merge([...shown, ...priced.map(sumOf)]) : shown, shown, costs };
}

/**
 * The sums of costs in a bucket of one model, by their keys; 0 without a price.
 */
export function costSums(costs: CostMetric[], measured: Measured | undefined, price: Price | null) {
  const sum = (metric: TokenMetric) => Number(measured?.[aggregateKey('sum', metric)] ?? 0);
  const counts = {
    input: sum('input_tokens'),
    output: sum('output_tokens'),
    cacheRead: sum('cache_read_input_tokens'),
    cacheCreation: sum('cache_creation_input_tokens'),
  };
  const { prompt, completion, cacheRead, cacheCreation } = tokenCosts(counts, price);
  const all: Record<CostMetric, number> = {
    input_cost: prompt,
    output_cost: completion,
    total_cost: prompt + completion + cacheRead + cacheCreation,
  };
  return Object.fromEntries(costs.map((cost) => [aggregateKey('sum', cost), all[cost]]));
}

const priced: TokenMetric[] = [
  'input_tokens',
  'output_tokens',
  'cache_read_input_tokens',
  'cache_creation_input_tokens',
];

/** The tokens whose sums are shown beside a cost. */
const shownWith: Record<CostMetric, TokenMetric[]> = {
  input_cost: ['input_tokens'],
  output_cost: ['output_tokens'],
  total_cost: ['input_tokens', 'output_tokens'],
};

function isCost(metric: UsageMetric): metric is CostMetric {
  return metric in shownWith;
}

function sumOf(metric: TokenMetric): Wanted<TokenMetric> {
  return { metric, aggregations: ['sum'], percentiles: [] };
}
