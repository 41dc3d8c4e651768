import type { ModelConfig } from '../models/config.ts';

export type LayerSize = { inSize: number; outSize: number };

/** The linear layers that an adapter may change, by name in Hugging Face models. */
export function linearLayers(config: ModelConfig): Map<string, LayerSize> {
  const kinds = Object.entries(sizesOfKinds(config));
  return new Map(
    config.layers.flatMap((_, layer) =>
      kinds.map(([kind, size]): [string, LayerSize] => [`model.layers.${layer}.${kind}`, size]),
    ),
  );
}

/** Models with experts: only the attention. */
function sizesOfKinds(config: ModelConfig): Record<string, LayerSize> {
  const { hiddenSize, feedForwardSize, heads, kvHeads, headDim, hasFusedLinear } = config;
  const size = (inSize: number, outSize: number): LayerSize => ({ inSize, outSize });
  const queries = heads * headDim;
  const keys = kvHeads * headDim;
  const attention = {
    ...(hasFusedLinear
      ? { 'self_attn.qkv_proj': size(hiddenSize, queries + 2 * keys) }
      : {
          'self_attn.q_proj': size(hiddenSize, queries),
          'self_attn.k_proj': size(hiddenSize, keys),
          'self_attn.v_proj': size(hiddenSize, keys),
        }),
    'self_attn.o_proj': size(queries, hiddenSize),
  };
  if (config.experts !== null) return attention;
  return {
    ...attention,
    ...(hasFusedLinear
      ? { 'mlp.gate_up_proj': size(hiddenSize, 2 * feedForwardSize) }
      : { 'mlp.gate_proj': size(hiddenSize, feedForwardSize), 'mlp.up_proj': size(hiddenSize, feedForwardSize) }),
    'mlp.down_proj': size(feedForwardSize, hiddenSize),
  };
}
