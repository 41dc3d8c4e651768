import type { ModelConfig } from '../models/config.ts';

/** A tensor as the graph uses it: the rows of one or more tensors of the model, one after the other. */
export type GraphWeight = {
  name: string;
  shape: number[];
  /** Names in Hugging Face models. */
  parts: string[];
};

/**
 * The weights that the graph of a model uses. Linear layers stay `[out, in]`, as they are stored: the matrix product
 * transposes them when it packs them. Layers that read the same input are one, so that decoding makes fewer, larger
 * products: queries, keys and values; gate and up.
 */
export function graphWeights(config: ModelConfig): GraphWeight[] {
  const { vocabSize, hiddenSize, tiedEmbeddings } = config;
  const table = [vocabSize, hiddenSize];
  return [
    { name: 'embedding', shape: table, parts: ['model.embed_tokens.weight'] },
    ...config.layers.flatMap((_, layer) => layerWeights(config, layer)),
    { name: 'norm', shape: [hiddenSize], parts: ['model.norm.weight'] },
    ...(tiedEmbeddings ? [] : [{ name: 'head', shape: table, parts: ['lm_head.weight'] }]),
  ];
}

function layerWeights(config: ModelConfig, layer: number): GraphWeight[] {
  const { hiddenSize, feedForwardSize, headDim, heads, kvHeads } = config;
  const from = `model.layers.${layer}`;
  const attention = `${from}.self_attn`;
  const qkvSize = (heads + 2 * kvHeads) * headDim;
  const weight = (name: string, shape: number[], ...parts: string[]) => ({
    name: `layers.${layer}.${name}`,
    shape,
    parts,
  });
  const linear = (name: string, bias: boolean, outSize: number, inSize: number, ...parts: string[]) => [
    weight(name, [outSize, inSize], ...parts.map((part) => `${part}.weight`)),
    ...(bias ? [weight(`${name}.bias`, [outSize], ...parts.map((part) => `${part}.bias`))] : []),
  ];
  const norm = (name: string, size: number, part: string) => weight(name, [size], `${part}.weight`);
  const qkv = ['q', 'k', 'v'].map((each) => `${attention}.${each}_proj`);
  const gateUp = ['gate', 'up'].map((each) => `${from}.mlp.${each}_proj`);
  const queryKeyNorms = [
    norm('queryNorm', headDim, `${attention}.q_norm`),
    norm('keyNorm', headDim, `${attention}.k_norm`),
  ];
  return [
    norm('attentionNorm', hiddenSize, `${from}.input_layernorm`),
    ...linear('qkv', config.qkvBias, qkvSize, hiddenSize, ...qkv),
    ...(config.queryKeyNorm ? queryKeyNorms : []),
    ...linear('attentionOut', config.attentionOutBias, hiddenSize, heads * headDim, `${attention}.o_proj`),
    norm('feedForwardNorm', hiddenSize, `${from}.post_attention_layernorm`),
    ...linear('gateUp', config.feedForwardBias, 2 * feedForwardSize, hiddenSize, ...gateUp),
    ...linear('down', config.feedForwardBias, hiddenSize, feedForwardSize, `${from}.mlp.down_proj`),
  ];
}
