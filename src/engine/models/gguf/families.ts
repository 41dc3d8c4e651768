import { type Architecture, type LayerConfig, llamaShape, type ModelShape } from '../config.ts';
import { rotaryConfig } from '../rotary.ts';
import type { GgufConfig } from './gguf-config.ts';

/** Properties of a family that GGUF files lack because they are part of llama.cpp's code. */
export function ggufShape(
  architecture: Architecture,
  values: GgufConfig,
  { headDim, normsHeads }: { headDim: number; normsHeads: boolean },
): ModelShape {
  switch (architecture) {
    case 'olmo2':
      return { ...llamaShape, queryKeyNorm: 'whole', norms: 'after' };
    case 'gemma2':
      return {
        ...gemmaShape(values, headDim),
        attentionCap: values.attn_logit_softcapping ?? 50,
        logitCap: values.final_logit_softcapping ?? 30,
      };
    case 'gemma3_text':
      return {
        ...gemmaShape(values, headDim),
        queryKeyNorm: 'heads',
        logitCap: values.final_logit_softcapping ?? null,
        localRotary: rotaryConfig(headDim, 10_000, { type: 'default' }),
      };
    default:
      return { ...llamaShape, queryKeyNorm: normsHeads ? 'heads' : 'none' };
  }
}

export function ggufLayer(architecture: Architecture, values: GgufConfig, layer: number): LayerConfig {
  const window = values['attention.sliding_window'] || null;
  const plain = { window, rotary: 'global', hasExperts: false } as const;
  switch (architecture) {
    case 'smollm3':
      return { ...plain, rotary: (layer + 1) % 4 === 0 ? 'none' : 'global' };
    case 'gemma2':
      return { ...plain, window: (layer + 1) % 2 === 0 ? null : window };
    case 'gemma3_text':
      return (layer + 1) % 6 === 0 ? { ...plain, window: null } : { ...plain, rotary: 'local' };
    default:
      return plain;
  }
}

/** The largest model of each generation, with 46 layers in Gemma 2 and 62 in Gemma 3, has a different scale. */
function gemmaShape(values: GgufConfig, headDim: number): ModelShape {
  const isLargest = values.block_count === 46 || values.block_count === 62;
  const size = isLargest ? values.embedding_length / values['attention.head_count'] : headDim;
  return {
    ...llamaShape,
    norms: 'both',
    activation: 'gelu',
    attentionScale: size ** -0.5,
    embeddingScale: Math.sqrt(values.embedding_length),
  };
}
