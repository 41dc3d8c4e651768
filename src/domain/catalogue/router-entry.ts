import { currentPrices } from './current-prices.ts';
import type { PricedModel } from './priced-model.ts';
import type { ServedModel } from './served-model.ts';

/** A model in the format that routers use to list providers' models. Unknown fields are left out. */
export type RouterEntry = { id: string; [field: string]: unknown };

export function servedEntry(model: ServedModel): RouterEntry {
  return {
    id: model.id,
    name: model.name,
    ...(model.huggingFaceId === null ? {} : { hugging_face_id: model.huggingFaceId }),
    created: model.createdAt,
    input_modalities: ['text'],
    output_modalities: ['text'],
    ...(model.quantization === null ? {} : { quantization: model.quantization }),
    context_length: model.contextLength,
    max_output_length: model.outputLengthMax,
    pricing: { prompt: '0', completion: '0', image: '0', request: '0', input_cache_read: '0' },
    supported_sampling_parameters: model.samplingParameters,
    supported_features: model.features,
    datacenters: [],
  };
}

/** Routers with many providers put the provider before the id. */
export function pricedEntry(model: PricedModel, { amongMany, now }: { amongMany: boolean; now: Date }): RouterEntry {
  const prices = currentPrices(model, now);
  const known = {
    prompt: prices.inputToken,
    completion: prices.outputToken,
    request: prices.request,
    input_cache_read: prices.cachedInputToken,
  };
  const pricing = Object.entries(known).flatMap(([name, price]) => (price === null ? [] : [[name, decimal(price)]]));
  return {
    id: amongMany ? `${model.provider.id}/${model.id}` : model.id,
    name: model.name,
    ...(model.contextLength === null ? {} : { context_length: model.contextLength }),
    pricing: Object.fromEntries(pricing),
    datacenters: [],
  };
}

/** Without an exponent, which not every reader of the format accepts. */
function decimal(dollars: number): string {
  return dollars.toFixed(12).replace(/\.?0+$/, '');
}
