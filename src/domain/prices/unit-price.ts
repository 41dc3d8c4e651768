import type { ModelPrice } from '@pydantic/genai-prices';

/**
 * What one token or one request costs, from the price that the open data tell for `count` of them; null without one. Of
 * tiers by the length of a prompt the base counts: which tier a call is in cannot be told from its usage, where several
 * requests may be added up.
 */
export function unitPrice(price: ModelPrice[string], count: number): number | null {
  if (price === undefined) return null;
  const perCount = typeof price === 'number' ? price : price.base;
  return Number((perCount / count).toPrecision(15)); // 0.00000015, where a division alone may be off in the last digit
}
