import type { ModelConfig } from '../models/config.ts';

export type LayerSize = { inSize: number; outSize: number };

/** The linear layers of a model that an adapter may change, by their names in Hugging Face models. */
export function linearLayers(config: ModelConfig): Map<string, LayerSize> {
  const kinds = Object.entries(sizesOfKinds(config));
  return new Map(
    config.layers.flatMap((_, layer) =>
      kinds.map(([kind, size]): [string, LayerSize] => [`model.layers.${layer}.${kind}`, size]),
    ),
  );
}

function sizesOfKinds({ hiddenSize, feedForwardSize, heads, kvHeads, headDim }: ModelConfig) {
  const size = (inSize: number, outSize: number): LayerSize => ({ inSize, outSize });
  return {
    'self_attn.q_proj': size(hiddenSize, heads * headDim),
    'self_attn.k_proj': size(hiddenSize, kvHeads * headDim),
    'self_attn.v_proj': size(hiddenSize, kvHeads * headDim),
    'self_attn.o_proj': size(heads * headDim, hiddenSize),
    'mlp.gate_proj': size(hiddenSize, feedForwardSize),
    'mlp.up_proj': size(hiddenSize, feedForwardSize),
    'mlp.down_proj': size(feedForwardSize, hiddenSize),
  };
}
