/** The configuration of a model, read from a Hugging Face folder or a GGUF file. */
export type ModelConfig = {
  architecture: Architecture;
  vocabSize: number;
  hiddenSize: number;
  feedForwardSize: number;
  heads: number;
  /** `heads / kvHeads` query heads share a head of keys and values. */
  kvHeads: number;
  headDim: number;
  normEpsilon: number;
  /** Maximum number of tokens of a sequence. */
  contextMax: number;
  rotary: RotaryConfig;
  layers: LayerConfig[];
  /** Whether the head and the embedding are the same table. */
  tiedEmbeddings: boolean;
  qkvBias: boolean;
  attentionOutBias: boolean;
  feedForwardBias: boolean;
} & ModelShape;

/** Where the computation of a family may differ from Llama. */
export type ModelShape = {
  /** How queries and keys are normed before their rotation: each head, or all heads as one vector. */
  queryKeyNorm: 'none' | 'heads' | 'whole';
  /** Whether attention and feed-forward norm their input, or their output before it is added to the stream. */
  norms: 'before' | 'after' | 'both';
  activation: 'silu' | 'gelu';
  /** The factor of attention scores; null: `1 / √headDim`. */
  attentionScale: number | null;
  /** Attention scores and logits are limited to ± this; null: no limit. */
  attentionCap: number | null;
  logitCap: number | null;
  /** The factor of embeddings. */
  embeddingScale: number;
  /** Whether queries, keys and values are stored as one tensor, and so are gate and up. */
  hasFusedLinear: boolean;
  /** Used by layers with the rotary embedding `local`. */
  localRotary: RotaryConfig | null;
  /** Null for models without experts. */
  experts: ExpertsConfig | null;
};

export const llamaShape: ModelShape = {
  queryKeyNorm: 'none',
  norms: 'before',
  activation: 'silu',
  attentionScale: null,
  attentionCap: null,
  logitCap: null,
  embeddingScale: 1,
  hasFusedLinear: false,
  localRotary: null,
  experts: null,
};

/** Whether a model computes like Llama, apart from biases, windows and norms of heads. */
export function isLlamaLike(config: ModelConfig): boolean {
  const own: Partial<ModelShape> = config;
  const isSame = (Object.keys(llamaShape) as (keyof ModelShape)[]).every(
    (key) => own[key] === llamaShape[key] || (key === 'queryKeyNorm' && own[key] === 'heads'),
  );
  return isSame && config.layers.every(({ rotary }) => rotary === 'global');
}

export type ExpertsConfig = {
  count: number;
  /** How many experts, those with the highest scores, compute each token. */
  used: number;
  size: number;
  /** Whether the weights of the used experts are scaled to a sum of 1. */
  normalizes: boolean;
};

export type Architecture = (typeof architectures)[number];

export const architectures = [
  'llama',
  'mistral',
  'qwen2',
  'qwen3',
  'smollm3',
  'olmo2',
  'phi3',
  'gemma2',
  'gemma3_text',
  'mixtral',
  'qwen3_moe',
] as const;

export type LayerConfig = {
  /** How many tokens a token attends to, including itself; null: all before it. */
  window: number | null;
  rotary: 'global' | 'local' | 'none';
  hasExperts: boolean;
};

export type RotaryConfig = {
  /** The base of the frequencies. */
  theta: number;
  scaling: RotaryScaling;
  /** Radians per position of each rotated pair of dimensions, including any scaling for long contexts. */
  inverseFrequencies: number[];
  /** The factor of cosines and sines. */
  scale: number;
};

/** How a model extends its rotary embedding to longer contexts, with the names of Hugging Face. */
export type RotaryScaling =
  | { type: 'default' }
  | { type: 'linear'; factor: number }
  | Llama3Scaling
  /** Divides each frequency by its own factor, and sets `scale`. For sequences within the original context. */
  | { type: 'longrope'; factors: number[]; scale: number; longFactors: number[] }
  | { type: 'yarn'; factor: number; betaFast: number; betaSlow: number; originalContext: number; scale: number | null }
  /** From GGUF files of Llama 3: divides each frequency by its own number. */
  | { type: 'divided'; divisors: number[]; before: RotaryScaling };

export type Llama3Scaling = {
  type: 'llama3';
  factor: number;
  lowFactor: number;
  highFactor: number;
  originalContext: number;
};

/** The engine does not support the model. The message has the reason. */
export class UnsupportedModelError extends Error {
  override name = 'UnsupportedModelError';
}

/** The file is damaged, or of another type than its name suggests. */
export class UnsoundFileError extends Error {
  override name = 'UnsoundFileError';
}

export function checkConfig(config: ModelConfig): ModelConfig {
  const { heads, kvHeads, headDim } = config;
  if (heads % kvHeads !== 0) throw new UnsupportedModelError(`${heads} heads cannot share ${kvHeads} heads of keys`);
  const slidingWindows = new Set(config.layers.map(({ window }) => window).filter((window) => window !== null));
  if (slidingWindows.size > 1) throw new UnsupportedModelError('layers have windows of different sizes');
  if (headDim % 2 !== 0) throw new UnsupportedModelError(`a head of ${headDim} dimensions cannot be rotated in pairs`);
  return config;
}
