import type { TokenCounts } from '../usage/call-usage.ts';
import type { Price } from './price-book.ts';

type TokenCosts = { prompt: number; completion: number; cacheRead: number; cacheCreation: number };

/**
 * The cost of tokens; zero without a price. Cached tokens are assumed to be part of the prompt tokens and are charged
 * at their own price; if a client reports them separately, the prompt's part can be negative.
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
