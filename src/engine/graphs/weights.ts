import type { ModelConfig } from '../models/config.ts';

/** A tensor of the graph: the concatenated rows of one or more tensors of the model. */
export type GraphWeight = {
  name: string;
  shape: number[];
  /** Names in Hugging Face models. */
  parts: string[];
};

/**
 * The weights that the graph of a model uses. Linear layers keep their stored shape `[out, in]`, because packing them for the
 * matrix product also transposes them. Layers with the same input are combined (queries, keys and values; gate and up), so
 * that decoding has fewer, larger products.
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
  const { hiddenSize, headDim, heads, kvHeads } = config;
  const attention = `model.layers.${layer}.self_attn`;
  const { weight, linear } = weightsOf(layer);
  const qkvSize = (heads + 2 * kvHeads) * headDim;
  const qkv = (config.hasFusedLinear ? ['qkv'] : ['q', 'k', 'v']).map((each) => `${attention}.${each}_proj`);
  const normSize = (count: number) => (config.queryKeyNorm === 'whole' ? count * headDim : headDim);
  const queryKeyNorms = [
    weight('queryNorm', [normSize(heads)], `${attention}.q_norm.weight`),
    weight('keyNorm', [normSize(kvHeads)], `${attention}.k_norm.weight`),
  ];
  const norms = Object.entries(normNames[config.norms]).map(([name, part]) =>
    weight(name, [hiddenSize], `model.layers.${layer}.${part}.weight`),
  );
  return [
    ...norms,
    ...linear('qkv', config.qkvBias, qkvSize, hiddenSize, ...qkv),
    ...(config.queryKeyNorm === 'none' ? [] : queryKeyNorms),
    ...linear('attentionOut', config.attentionOutBias, hiddenSize, heads * headDim, `${attention}.o_proj`),
    ...(config.layers[layer]!.hasExperts ? expertWeights(config, layer) : feedForwardWeights(config, layer)),
  ];
}

/** The names of a layer's norms in Hugging Face models. */
const normNames = {
  before: { attentionNorm: 'input_layernorm', feedForwardNorm: 'post_attention_layernorm' },
  after: { attentionPostNorm: 'post_attention_layernorm', feedForwardPostNorm: 'post_feedforward_layernorm' },
  both: {
    attentionNorm: 'input_layernorm',
    attentionPostNorm: 'post_attention_layernorm',
    feedForwardNorm: 'pre_feedforward_layernorm',
    feedForwardPostNorm: 'post_feedforward_layernorm',
  },
};

function feedForwardWeights(config: ModelConfig, layer: number): GraphWeight[] {
  const { hiddenSize, feedForwardSize, feedForwardBias } = config;
  const mlp = `model.layers.${layer}.mlp`;
  const gateUp = (config.hasFusedLinear ? ['gate_up'] : ['gate', 'up']).map((each) => `${mlp}.${each}_proj`);
  const { linear } = weightsOf(layer);
  return [
    ...linear('gateUp', feedForwardBias, 2 * feedForwardSize, hiddenSize, ...gateUp),
    ...linear('down', feedForwardBias, hiddenSize, feedForwardSize, `${mlp}.down_proj`),
  ];
}

function expertWeights({ architecture, hiddenSize, experts }: ModelConfig, layer: number): GraphWeight[] {
  const { count, size } = experts!;
  const isMixtral = architecture === 'mixtral';
  const from = `model.layers.${layer}.${isMixtral ? 'block_sparse_moe' : 'mlp'}`;
  const [gate, up, down] = isMixtral ? ['w1', 'w3', 'w2'] : ['gate_proj', 'up_proj', 'down_proj'];
  const { weight, linear } = weightsOf(layer);
  const ofExpert = (expert: number) => {
    const [name, part] = [`experts.${expert}`, `${from}.experts.${expert}`];
    return [
      ...linear(`${name}.gateUp`, false, 2 * size, hiddenSize, `${part}.${gate}`, `${part}.${up}`),
      ...linear(`${name}.down`, false, hiddenSize, size, `${part}.${down}`),
    ];
  };
  return [
    weight('router', [count, hiddenSize], `${from}.gate.weight`),
    ...Array.from({ length: count }, (_, expert) => ofExpert(expert)).flat(),
  ];
}

function weightsOf(layer: number) {
  const weight = (name: string, shape: number[], ...parts: string[]): GraphWeight => ({
    name: `layers.${layer}.${name}`,
    shape,
    parts,
  });
  const linear = (name: string, bias: boolean, outSize: number, inSize: number, ...parts: string[]): GraphWeight[] => [
    weight(name, [outSize, inSize], ...parts.map((part) => `${part}.weight`)),
    ...(bias ? [weight(`${name}.bias`, [outSize], ...parts.map((part) => `${part}.bias`))] : []),
  ];
  return { weight, linear };
}
