import type { ModelPrice } from '@pydantic/genai-prices';

/**
 * The price of one token or request, from the price in the open data for `count` of them; null without one. Of tiers by
 * prompt length the base tier is used, because usage may add up several requests and does not show their tiers.
 */
export function unitPrice(price: ModelPrice[string], count: number): number | null {
  if (price === undefined) return null;
  const perCount = typeof price === 'number' ? price : price.base;
  return Number((perCount / count).toPrecision(15)); // 0.00000015; a plain division may be wrong in the last digit
}
