import type { Micros } from '../calls/call-row.ts';

/** What single tokens of a model cost. */
export type Price = { prompt: number; completion: number; cacheRead: number; cacheCreation: number };

/** The prices that apply in a project. Models are named as in the usage of calls; null where a model has no price. */
export type PriceBook = {
  at(model: string, startedAt: Micros): Price | null;
  /** The best known price: the project's, then the newest. */
  current(model: string): Price | null;
};
