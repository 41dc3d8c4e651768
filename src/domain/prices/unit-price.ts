import type { ModelPrice } from '@pydantic/genai-prices';

/**
 * The price of one token or request, from the price in the open data for `count` of them; null without one. Prices may
 * depend on the length of the prompt: the whole request then has the price of its tier.
 */
export function unitPrice(price: ModelPrice[string], count: number, promptTokens = 0): number | null {
  if (price === undefined) return null;
  const perCount = typeof price === 'number' ? price : priceOfTier(price, promptTokens);
  return Number((perCount / count).toPrecision(15)); // 0.00000015; a plain division may be wrong in the last digit
}

type TieredPrice = Exclude<ModelPrice[string], number | undefined>;

function priceOfTier({ base, tiers }: TieredPrice, promptTokens: number): number {
  return (
    tiers
      .filter(({ start }) => promptTokens > start)
      .sort((a, b) => a.start - b.start)
      .at(-1)?.price ?? base
  );
}

/** The lengths of prompts beyond which some price of a model is another. */
export function tierStarts(prices: ModelPrice): number[] {
  return Object.values(prices).flatMap((price) =>
    typeof price === 'object' ? price.tiers.map(({ start }) => start) : [],
  );
}
