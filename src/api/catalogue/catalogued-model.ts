import type { ServedModel } from '../../domain/catalogue/served-model.ts';
import type { Model } from '../../domain/model.ts';

/** One of our own models as catalogues list it. */
export function cataloguedModel({ name, source, contextLength, pulledAt, weightType }: Model): ServedModel {
  return {
    id: name,
    name,
    huggingFaceId: source.kind === 'hub' ? source.repository : null,
    createdAt: Math.floor(pulledAt.getTime() / 1000),
    contextLength,
    outputLengthMax: contextLength,
    quantization: quantizationOf(weightType),
    samplingParameters,
    features: ['tools', 'json_mode', 'structured_outputs', 'logprobs', 'reasoning'],
  };
}

/** In the words of routers: `fp32`, `int4` and so on; null where they have none for it. */
function quantizationOf(weightType: string): string | null {
  const words = new Map([
    ['F32', 'fp32'],
    ['F16', 'fp16'],
    ['BF16', 'bf16'],
  ]);
  const bits = /^Q([4-8])_/.exec(weightType)?.[1] ?? /int([48])$/.exec(weightType)?.[1];
  return words.get(weightType) ?? (bits === undefined ? null : `int${bits}`);
}

const samplingParameters = [
  'temperature',
  'top_p',
  'top_k',
  'min_p',
  'frequency_penalty',
  'presence_penalty',
  'repetition_penalty',
  'stop',
  'seed',
  'max_tokens',
  'logit_bias',
];
