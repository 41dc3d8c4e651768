import type { TokenCounts } from '../usage/call-usage.ts';
import type { Price } from './price-book.ts';

type TokenCosts = { prompt: number; completion: number; cacheRead: number; cacheCreation: number };

/**
 * What tokens cost; without a price, nothing. Cached tokens are taken to be among those of the prompt, and are paid at
 * their own price; where a client counts them beside the prompt, its part may be negative.
 */
export function tokenCosts({ input, output, cacheRead, cacheCreation }: TokenCounts, price: Price | null): TokenCosts {
  if (price === null) return { prompt: 0, completion: 0, cacheRead: 0, cacheCreation: 0 };
  return {
    prompt: (input - cacheRead - cacheCreation) * price.prompt,
    completion: output * price.completion,
    cacheRead: cacheRead * price.cacheRead,
    cacheCreation: cacheCreation * price.cacheCreation,
  };
}
