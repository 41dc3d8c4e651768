import type { CostMetric, TokenMetric, UsageMetric } from './metrics.ts';
import { merge, type Wanted, wantedOf } from './wanted.ts';

/** What to measure and show for a usage request. */
export type UsagePlan = {
  shown: Wanted<TokenMetric>[];
  /** Costs are always sums, whatever was requested. */
  costs: CostMetric[];
};

/** @throws Failure as `wantedOf` does. */
export function usagePlan(specs: Wanted<UsageMetric>[]): UsagePlan {
  const wanted = wantedOf(specs);
  const costs = wanted.map(({ metric }) => metric).filter(isCost);
  const tokens = wanted.filter((each): each is Wanted<TokenMetric> => !isCost(each.metric));
  return { shown: merge([...tokens, ...costs.flatMap((cost) => shownWith[cost]).map(sumOf)]), costs };
}

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
