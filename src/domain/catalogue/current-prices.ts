import type { ConditionalPrice, ModelPrice } from '@pydantic/genai-prices';
import { unitPrice } from '../prices/unit-price.ts';
import type { PricedModel } from './priced-model.ts';

/** Dollars per unit; null if no price is known. */
export type CurrentPrices = {
  inputToken: number | null;
  outputToken: number | null;
  cachedInputToken: number | null;
  request: number | null;
};

export function currentPrices({ prices }: Pick<PricedModel, 'prices'>, now: Date): CurrentPrices {
  const current = Array.isArray(prices) ? inForce(prices, now) : prices;
  return {
    inputToken: unitPrice(current.input_mtok, 1e6),
    outputToken: unitPrice(current.output_mtok, 1e6),
    cachedInputToken: unitPrice(current.cache_read_mtok, 1e6),
    request: unitPrice(current.requests_kcount, 1e3),
  };
}

/** The last entry whose condition is true; the first entry has none. */
function inForce(prices: ConditionalPrice[], now: Date): ModelPrice {
  return prices.findLast(({ constraint }) => holds(constraint, now.toISOString()))?.prices ?? {};
}

function holds(constraint: ConditionalPrice['constraint'], now: string): boolean {
  if (!constraint) return true;
  if (constraint.type === 'start_date') return constraint.start_date <= now.slice(0, 10);
  const [start, time, end] = [constraint.start_time.slice(0, 8), now.slice(11, 19), constraint.end_time.slice(0, 8)];
  const [isAfterStart, isBeforeEnd] = [start <= time, time < end];
  return start <= end ? isAfterStart && isBeforeEnd : isAfterStart || isBeforeEnd; // the hours may include midnight
}
