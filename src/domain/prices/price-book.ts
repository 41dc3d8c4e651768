import type { Micros } from '../calls/call-row.ts';
import type { PricedUsage } from '../usage/call-usage.ts';
import { type PriceBoundaries, sorted } from './boundaries.ts';
import type { DefaultPrices } from './default-prices.ts';
import type { Price } from './price.ts';

/** A price that a project set for a model. */
export type ProjectPrice = Price & { id: string; llmId: string; prompt: number; completion: number };

/** The prices that apply in a project. Models are named as in the usage of calls. */
export type PriceBook = {
  /**
   * The price for a call: one that applied when it started, otherwise a later one; of these the project's, then the
   * newest. Null if there is none.
   */
  at(usage: PricedUsage, startedAt: Micros): Price | null;
  /** Where any of these prices may change. */
  boundaries: PriceBoundaries;
};

export function openPriceBook(own: ProjectPrice[], defaults: DefaultPrices): PriceBook {
  const ownByModel = Map.groupBy(own, ({ llmId }) => llmId);
  // The last one created comes first, to decide between prices with the same date.
  for (const prices of ownByModel.values()) prices.sort((a, b) => b.createdAt - a.createdAt || (a.id < b.id ? 1 : -1));
  return {
    at(usage, startedAt) {
      const ofProject = ownByModel.get(usage.model) ?? [];
      const byDefault = defaults.at(usage, startedAt);
      return best(byDefault ? [...ofProject, byDefault] : ofProject, startedAt);
    },
    boundaries: {
      ...defaults.boundaries,
      times: sorted([...defaults.boundaries.times, ...own.map(({ effectiveDate }) => effectiveDate)]),
    },
  };
}

function best(prices: Price[], startedAt: Micros): Price | null {
  const rank = ({ effectiveDate, level }: Price) =>
    (effectiveDate <= startedAt ? 2 : 0) + (level === 'project' ? 1 : 0);
  let found: Price | null = null;
  for (const price of prices) {
    const order = found ? rank(price) - rank(found) || price.effectiveDate - found.effectiveDate : 1;
    if (order > 0) found = price;
  }
  return found;
}
