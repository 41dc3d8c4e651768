import { entryInForce } from '../prices/in-force.ts';
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
  const current = entryInForce(prices, now)?.prices ?? {};
  return {
    inputToken: unitPrice(current.input_mtok, 1e6),
    outputToken: unitPrice(current.output_mtok, 1e6),
    cachedInputToken: unitPrice(current.cache_read_mtok, 1e6),
    request: unitPrice(current.requests_kcount, 1e3),
  };
}
