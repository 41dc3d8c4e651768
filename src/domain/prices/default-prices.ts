import type { ConditionalPrice, ModelPrice } from '@pydantic/genai-prices';
import { LRUCache } from 'lru-cache';
import { parseTimestamp } from '../../util/timestamp.ts';
import type { Micros } from '../calls/call-row.ts';
import type { PricedUsage } from '../usage/call-usage.ts';
import { boundariesOf, type PriceBoundaries } from './boundaries.ts';
import { entryInForce } from './in-force.ts';
import { closedProviders, listedNames } from './model-names.ts';
import type { PartPrices, Price } from './price.ts';
import { providerOfHost, providerOfName } from './provider-names.ts';
import { tierStarts, unitPrice } from './unit-price.ts';

export type DefaultPrices = {
  /** The default price of a model for a request at some time; null without one. */
  at(usage: PricedUsage, time: Micros): Price | null;
  boundaries: PriceBoundaries;
};

/**
 * The default prices, from the open data of genai-prices, loaded on first use. The price of open weights differs between
 * hosts: a model has a price where its provider is known, by the span or by the model's name, and has the model in its list.
 * Others, such as self-hosted ones, have none.
 */
export async function loadDefaultPrices(): Promise<DefaultPrices> {
  const { calcPrice, waitForUpdate } = await import('@pydantic/genai-prices');
  const providers = (await waitForUpdate()) ?? []; // without updating: the package's data
  const find = (provider: string, model: string): Listed | null => {
    for (const { providerId, name } of listedNames(provider, model)) {
      if (providerId === 'openrouter' && name.endsWith(':free')) return { providerId, prices: free };
      // `litellm` is not a provider: the model is found by its name.
      const found = calcPrice({}, name, { providerId: providerId ?? 'litellm' });
      // A fine-tuned model costs more than the model that it was made of.
      const isBase = /^ft:/i.test(name) && found?.model.id.startsWith('ft:') !== true;
      if (found && !isBase && isSold(found.provider.id, found.model.id) && isOf(provider, found.provider.id))
        return { providerId: found.provider.id, prices: found.model.prices };
    }
    return null;
  };
  return {
    at(usage, time) {
      const { provider, model } = usage;
      if (provider.length + model.length > namesLengthMax) return null;
      const key = `${provider}\n${model}`;
      const known = listedByNames.get(key) ?? { listed: find(provider, model) };
      listedByNames.set(key, known);
      return known.listed && priceOf(known.listed, usage, time);
    },
    boundaries: boundariesOf(providers.flatMap(({ models }) => models)),
  };
}

/** OpenAI publishes these weights and does not serve them. */
function isSold(providerId: string, modelId: string): boolean {
  return providerId !== 'openai' || !modelId.startsWith('gpt-oss');
}

/** A server that is not known has other prices for open models than those who made them. */
function isOf(provider: string, providerId: string): boolean {
  return (
    closedProviders.includes(providerId) || providerOfHost(provider) !== '' || providerOfName(provider) !== 'unknown'
  );
}

/** OpenRouter's free variants of models are not in its list. */
const free: ModelPrice = { input_mtok: 0, output_mtok: 0 };

/** A model in the list of a provider. */
type Listed = { providerId: string; prices: ModelPrice | ConditionalPrice[] };

const listedByNames = new LRUCache<string, { listed: Listed | null }>({ max: 1000 });
const namesLengthMax = 400;

function priceOf({ providerId, prices }: Listed, { input, requests }: PricedUsage, at: Micros): Price | null {
  const entry = entryInForce(prices, new Date(at / 1000));
  if (!entry) return null;
  const { constraint, prices: current } = entry;
  // The lengths of several prompts are not known: they have at least the price of short ones.
  const isSum = requests > 1;
  const perToken = (name: string) => unitPrice(current[name], 1e6, isSum ? 0 : input) ?? undefined;
  const prompt = perToken('input_mtok') ?? null;
  const completion = perToken('output_mtok') ?? null;
  const perRequest = unitPrice(current.requests_kcount, 1e3);
  if (prompt === null && completion === null && perRequest === null) return null;
  const effectiveDate = constraint?.type === 'start_date' ? parseTimestamp(constraint.start_date)! : 0;
  return {
    prompt,
    completion,
    // If cached tokens have no price, they cost the same as other prompt tokens.
    cacheRead: perToken('cache_read_mtok') ?? prompt ?? 0,
    cacheCreation: perToken('cache_write_mtok') ?? prompt ?? 0,
    ofParts: partPrices(perToken, current),
    request: perRequest ?? 0,
    isAtLeast: isSum && tierStarts(current).some((start) => input > start),
    ...{ promptUnit: 'USD', completionUnit: 'USD', level: 'default', providerId, effectiveDate },
    ...{ createdBy: 'genai-prices', createdAt: effectiveDate },
  };
}

function partPrices(perToken: (name: string) => number | undefined, prices: ModelPrice): PartPrices {
  return {
    cache_creation_1h: perToken('cache_write_1h_mtok'),
    input_audio: perToken('input_audio_mtok'),
    cached_audio: perToken('cache_audio_read_mtok'),
    output_audio: perToken('output_audio_mtok'),
    input_image: perToken('input_image_mtok'),
    cached_image: perToken('cache_image_read_mtok'),
    output_image: perToken('output_image_mtok'),
    input_video: perToken('input_video_mtok'),
    output_video: perToken('output_video_mtok'),
    reasoning: perToken('output_reasoning_mtok'),
    web_searches: unitPrice(prices.web_searches_kcount, 1e3) ?? undefined,
  };
}
