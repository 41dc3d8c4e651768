import type { TokenCounts } from '../usage/call-usage.ts';
import type { Price } from './price-book.ts';

export type TokenCosts = { prompt: number; completion: number; cacheRead: number; cacheCreation: number };

/**
 * What tokens cost. Cached tokens are taken to be among those of the prompt, and are paid at their own price; where a
 * client counts them beside the prompt, its part may be negative.
 */
export function tokenCosts({ input, output, cacheRead, cacheCreation }: TokenCounts, price: Price): TokenCosts {
  return {
    prompt: (input - cacheRead - cacheCreation) * price.prompt,
    completion: output * price.completion,
    cacheRead: cacheRead * price.cacheRead,
    cacheCreation: cacheCreation * price.cacheCreation,
  };
}
