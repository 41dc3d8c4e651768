import type { TokenCounts, UsageParts } from '../usage/call-usage.ts';
import type { PartPrices, Price } from './price.ts';

export type TokenCosts = {
  prompt: number;
  completion: number;
  cacheRead: number;
  cacheCreation: number;
  /** What is paid beside tokens: requests and searches. */
  other: number;
  /** Tokens without a known price, which cost nothing here. */
  unpricedTokens: number;
  /** Whether more may have been paid: some price or count is not known. */
  isAtLeast: boolean;
  /** Whether less may have been paid, as for batches. */
  isEstimate: boolean;
};

/**
 * The cost of tokens. Cached tokens are part of the prompt tokens and are charged at their own price, as are other parts that
 * have one.
 */
export function tokenCosts(counts: TokenCounts & { requests: number }, price: Price | null): TokenCosts {
  const [input, output] = [atLeastZero(counts.input), atLeastZero(counts.output)];
  const [cacheRead, cacheCreation] = [atLeastZero(counts.cacheRead), atLeastZero(counts.cacheCreation)];
  const ofUnknownKind = input + output === 0 ? atLeastZero(counts.total ?? 0) : 0;
  const unpricedTokens = (price?.prompt == null ? input : 0) + (price?.completion == null ? output : 0) + ofUnknownKind;
  const { parts } = counts;
  const { ignored_counts = 0, other_fees = 0, dearer_terms = 0, other_terms = 0 } = parts;
  const isAtLeast =
    unpricedTokens > 0 ||
    ignored_counts + other_fees + dearer_terms > 0 ||
    price?.isAtLeast === true ||
    hasUnpricedPart(parts, price);
  if (price === null) return { ...free, unpricedTokens, isAtLeast, isEstimate: false };
  const charge = (tokens: number, at: number | null, ofParts: UsageParts) =>
    chargeParts(tokens, at ?? 0, ofParts, price);
  const cached = cacheRead + cacheCreation;
  // Old calls may have cached tokens beside the input.
  const uncached = input < cached ? input : input - cached;
  const { cached_audio = 0, cached_image = 0 } = parts;
  const requests = input + output > 0 ? Math.max(1, counts.requests) : 0;
  return {
    prompt: charge(uncached, price.prompt, {
      input_audio: (parts.input_audio ?? 0) - cached_audio,
      input_image: (parts.input_image ?? 0) - cached_image,
      input_video: parts.input_video ?? 0,
    }),
    completion: charge(output, price.completion, {
      output_audio: parts.output_audio ?? 0,
      output_image: parts.output_image ?? 0,
      output_video: parts.output_video ?? 0,
      reasoning: parts.reasoning ?? 0,
    }),
    cacheRead: charge(cacheRead, price.cacheRead, { cached_audio, cached_image }),
    cacheCreation: charge(cacheCreation, price.cacheCreation, { cache_creation_1h: parts.cache_creation_1h ?? 0 }),
    other: requests * (price.request ?? 0) + (parts.web_searches ?? 0) * (price.ofParts?.web_searches ?? 0),
    unpricedTokens,
    isAtLeast,
    isEstimate: other_terms > 0,
  };
}

/** Parts that always cost more than the others: without a price of their own, theirs is not known. */
function hasUnpricedPart(parts: UsageParts, price: Price | null): boolean {
  const ofOpenAI = price?.level === 'default' && ['openai', 'azure'].includes(price.providerId);
  const dearer = ofOpenAI ? [...dearerParts, ...dearerPartsOfOpenAI] : dearerParts;
  return dearer.some((part) => (parts[part] ?? 0) > 0 && price?.ofParts?.[part] === undefined);
}

const dearerParts: readonly (keyof PartPrices)[] = ['cache_creation_1h', 'web_searches'];
/** Google's models often have one price for text and audio. */
const dearerPartsOfOpenAI: readonly (keyof PartPrices)[] = ['input_audio', 'output_audio'];

const free = { prompt: 0, completion: 0, cacheRead: 0, cacheCreation: 0, other: 0 };

export function totalCost({ prompt, completion, cacheRead, cacheCreation, other }: TokenCosts): number {
  return prompt + completion + cacheRead + cacheCreation + other;
}

/** Parts without a price of their own cost what the others do; there are never more of them than tokens. */
function chargeParts(tokens: number, price: number, parts: UsageParts, { ofParts = {} }: Price): number {
  let rest = tokens;
  let cost = 0;
  for (const [part, count] of Object.entries(parts) as [keyof PartPrices, number][]) {
    const own = ofParts[part];
    if (own === undefined) continue;
    const charged = Math.min(rest, atLeastZero(count));
    rest -= charged;
    cost += charged * own;
  }
  return cost + rest * price;
}

function atLeastZero(count: number): number {
  return Math.max(0, count);
}
