import type { Micros } from '../calls/call-row.ts';

/** The prices per token of a model, from a date on. */
export type Price = {
  prompt: number;
  completion: number;
  cacheRead: number;
  cacheCreation: number;
  promptUnit: string;
  completionUnit: string;
  /** Whether a project set it or it is a default. */
  level: 'project' | 'default';
  providerId: string;
  effectiveDate: Micros;
  createdBy: string;
  createdAt: Micros;
};

/** A price that a project set for a model. */
export type ProjectPrice = Price & { id: string; llmId: string };

/** The prices that apply in a project. Models are named as in the usage of calls; null if a model has no price. */
export type PriceBook = {
  /**
   * The price for a call: one that applied when it started, otherwise a later one; of these the project's, then the
   * newest.
   */
  at(model: string, startedAt: Micros): Price | null;
  /** The best known price: the project's, then the newest. */
  current(model: string): Price | null;
};

/** `defaultsOf` returns the default prices of a model. */
export function openPriceBook(own: ProjectPrice[], defaultsOf: (model: string) => readonly Price[]): PriceBook {
  const ownByModel = Map.groupBy(own, ({ llmId }) => llmId);
  // The last one created comes first, to decide between prices with the same date.
  for (const prices of ownByModel.values()) prices.sort((a, b) => (a.id < b.id ? 1 : -1));
  const candidates = (model: string) => [...(ownByModel.get(model) ?? []), ...defaultsOf(model)];
  return {
    at: (model, startedAt) => best(candidates(model), (price) => price.effectiveDate <= startedAt),
    current: (model) => best(candidates(model), () => true),
  };
}

function best(prices: Price[], isInForce: (price: Price) => boolean): Price | null {
  const rank = (price: Price) => (isInForce(price) ? 2 : 0) + (price.level === 'project' ? 1 : 0);
  let found: Price | null = null;
  for (const price of prices) {
    const order = found ? rank(price) - rank(found) || price.effectiveDate - found.effectiveDate : 1;
    if (order > 0) found = price;
  }
  return found;
}
