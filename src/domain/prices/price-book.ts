import type { Micros } from '../calls/call-row.ts';
import type { PricedPart, PricedUsage } from '../usage/call-usage.ts';
import { type PriceBoundaries, sorted } from './boundaries.ts';
import type { DefaultPrices } from './default-prices.ts';

/** The prices per token of a model, from a date on. Null if tokens of a kind have no known price. */
export type Price = {
  prompt: number | null;
  completion: number | null;
  cacheRead: number;
  cacheCreation: number;
  /** The prices of parts of these tokens, where they differ. */
  ofParts?: PartPrices;
  /** What a request costs in addition to its tokens. */
  request?: number;
  /** Whether a part of the tokens may have a higher price. */
  isAtLeast?: boolean;
  promptUnit: string;
  completionUnit: string;
  /** Whether a project set it or it is a default. */
  level: 'project' | 'default';
  providerId: string;
  effectiveDate: Micros;
  createdBy: string;
  createdAt: Micros;
};

export type PartPrices = { [Part in PricedPart]?: number | undefined };

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
  for (const prices of ownByModel.values()) prices.sort((a, b) => (a.id < b.id ? 1 : -1));
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
