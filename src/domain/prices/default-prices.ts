import type { ModelInfo, ModelPrice } from '@pydantic/genai-prices';
import { BoundedMap } from '../../util/bounded-map.ts';
import { parseTimestamp } from '../../util/timestamp.ts';
import type { Price } from './price-book.ts';
import { unitPrice } from './unit-price.ts';

/**
 * The default prices, from the open data of genai-prices, loaded on first use. The rules of that data find a model by
 * its dated names (`gpt-4o-2024-08-06`, `claude-sonnet-4-20250514`), by names with a provider prefix
 * (`groq/llama-3.3-70b-versatile`), and by the names of Bedrock and Gemini. Names that match no rule have no price: the
 * price of open weights differs between hosts, and self-hosted models cost nothing.
 */
export async function loadDefaultPrices(): Promise<(model: string) => readonly Price[]> {
  const { calcPrice } = await import('@pydantic/genai-prices');
  return (model) => {
    const known = pricesByModel.get(model);
    if (known) return known;
    const priced = (providerId: string) => calcPrice({}, model.replace(/^models\//, ''), { providerId });
    // `litellm` is not a provider: its names start with a provider and a slash.
    const found =
      model.length > modelLengthMax ? null : (priced('litellm') ?? (bedrockName.test(model) ? priced('aws') : null));
    const prices = found ? datedPrices(found.provider.id, found.model) : [];
    pricesByModel.set(model, prices);
    return prices;
  };
}

const pricesByModel = new BoundedMap<string, readonly Price[]>(1000);
const modelLengthMax = 200;

/** `anthropic.claude-3-5-haiku-20241022-v1:0`, optionally preceded by a region. */
const bedrockName = /^([a-z]+\.)?[a-z0-9]+\.[\w.-]+(:\w+)?$/;

/** A price without a start applies from 1970. Prices for certain hours are left out: prices here only have dates. */
function datedPrices(providerId: string, { prices }: ModelInfo): Price[] {
  const conditional = Array.isArray(prices) ? prices : [{ prices }];
  return conditional.flatMap(({ constraint, prices }) => {
    if (constraint?.type === 'time_of_date') return [];
    const effectiveDate = constraint ? parseTimestamp(constraint.start_date)! : 0;
    return toPrice(providerId, effectiveDate, prices) ?? [];
  });
}

function toPrice(providerId: string, effectiveDate: number, prices: ModelPrice): Price | null {
  const perToken = (perMillion: ModelPrice[string]) => unitPrice(perMillion, 1e6);
  const prompt = perToken(prices.input_mtok);
  const completion = perToken(prices.output_mtok);
  if (prompt === null && completion === null) return null;
  return {
    prompt: prompt ?? 0,
    completion: completion ?? 0,
    // If cached tokens have no price, they cost the same as other prompt tokens.
    cacheRead: perToken(prices.cache_read_mtok) ?? prompt ?? 0,
    cacheCreation: perToken(prices.cache_write_mtok) ?? prompt ?? 0,
    ...{ promptUnit: 'USD', completionUnit: 'USD', level: 'default', providerId, effectiveDate },
    ...{ createdBy: 'genai-prices', createdAt: effectiveDate },
  };
}
