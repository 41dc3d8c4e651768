import type { Micros } from '../calls/call-row.ts';
import type { CallUsage } from '../usage/call-usage.ts';
import type { PriceBook } from './price-book.ts';
import { tokenCosts, totalCost } from './token-costs.ts';

/** What usage costs, and what this leaves out. */
export type UsageCost = {
  /** Null where no model has a price. */
  dollars: number | null;
  /** Whether more may have been paid: some price or count is not known. */
  isAtLeast: boolean;
  /** Whether less may have been paid, as for batches. */
  isEstimate: boolean;
  /** Tokens without a price, by model. */
  unpricedTokens: Record<string, number>;
};

export function costOfUsage(usage: readonly CallUsage[], startedAt: Micros, book: PriceBook): UsageCost {
  return sumOfCosts(
    usage.map((each) => {
      const price = book.at(each, startedAt);
      const costs = tokenCosts(each, price);
      const unpriced = costs.unpricedTokens > 0 ? [[each.model, costs.unpricedTokens] as const] : [];
      return {
        dollars: price && totalCost(costs),
        isAtLeast: costs.isAtLeast,
        isEstimate: costs.isEstimate,
        unpricedTokens: Object.fromEntries(unpriced),
      };
    }),
  );
}

export function sumOfCosts(costs: readonly UsageCost[]): UsageCost {
  const unpriced = new Map<string, number>();
  for (const { unpricedTokens } of costs) {
    for (const [model, tokens] of Object.entries(unpricedTokens)) {
      unpriced.set(model, (unpriced.get(model) ?? 0) + tokens);
    }
  }
  const priced = costs.flatMap(({ dollars }) => dollars ?? []);
  return {
    dollars: priced.length === 0 ? null : priced.reduce((sum, dollars) => sum + dollars, 0),
    isAtLeast: costs.some(({ isAtLeast }) => isAtLeast),
    isEstimate: costs.some(({ isEstimate }) => isEstimate),
    unpricedTokens: Object.fromEntries(unpriced),
  };
}
