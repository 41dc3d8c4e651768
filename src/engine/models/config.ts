/** What the two sources of models, Hugging Face folders and GGUF files, say about a model of the Llama family, in one form. */
export type ModelConfig = {
  architecture: Architecture;
  vocabSize: number;
  hiddenSize: number;
  feedForwardSize: number;
  heads: number;
  /** Groups of `heads / kvHeads` query heads share one head of keys and values. */
  kvHeads: number;
  headDim: number;
  normEpsilon: number;
  /** The most tokens a sequence may have. */
  contextMax: number;
  rotary: RotaryConfig;
  layers: LayerConfig[];
  /** Whether the head is the embedding table. */
  tiedEmbeddings: boolean;
  qkvBias: boolean;
  attentionOutBias: boolean;
  feedForwardBias: boolean;
} & ModelShape;

/** How a family computes, where it may differ from the Llama family. */
export type ModelShape = {
  /** How queries and keys are normed before they are rotated: each head, or all heads as one vector. */
  queryKeyNorm: 'none' | 'heads' | 'whole';
  /** Whether attention and feed-forward have norms before them, or after them, before their output is added. */
  norms: 'before' | 'after' | 'both';
  activation: 'silu' | 'gelu';
  /** What scores are multiplied with; null: one divided by the root of the head's size. */
  attentionScale: number | null;
  /** Scores, and logits, stay within ± this; null: they are not limited. */
  attentionCap: number | null;
  logitCap: number | null;
  /** What embeddings are multiplied with. */
  embeddingScale: number;
  /** Whether queries, keys and values are one tensor, and gate and up. */
  hasFusedLinear: boolean;
  /** Of layers with the rotary embedding `local`. */
  localRotary: RotaryConfig | null;
  /** Of layers whose feed-forward has several experts. */
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

/** Whether a model computes as the Llama family does, apart from biases, windows and norms of heads. */
export function isLlamaLike(config: ModelConfig): boolean {
  const own: Partial<ModelShape> = config;
  const isSame = (Object.keys(llamaShape) as (keyof ModelShape)[]).every(
    (key) => own[key] === llamaShape[key] || (key === 'queryKeyNorm' && own[key] === 'heads'),
  );
  return isSame && config.layers.every(({ rotary }) => rotary === 'global');
}

export type ExpertsConfig = {
  count: number;
  /** How many experts compute each token: those with the highest scores. */
  used: number;
  size: number;
  /** Whether the shares of the experts used add up to one. */
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
  /** How many tokens a token sees, itself included; null: all before it. */
  window: number | null;
  rotary: 'global' | 'local' | 'none';
  hasExperts: boolean;
};

export type RotaryConfig = {
  /** What the frequencies are made of. */
  theta: number;
  scaling: RotaryScaling;
  /** Radians a position, one for each pair of dimensions that is rotated: the first of each head; any scaling for long contexts is worked in. */
  inverseFrequencies: number[];
  /** What cosine and sine are multiplied with. */
  scale: number;
};

/** How a model stretches its rotary embedding over longer contexts, in the words of Hugging Face. */
export type RotaryScaling =
  | { type: 'default' }
  | { type: 'linear'; factor: number }
  | Llama3Scaling
  /** Each frequency is divided by a factor of its own, `scale` is set. For sequences within the original context. */
  | { type: 'longrope'; factors: number[]; scale: number; longFactors: number[] }
  | { type: 'yarn'; factor: number; betaFast: number; betaSlow: number; originalContext: number; scale: number | null }
  /** As GGUF files of Llama 3 have it: each frequency is divided by a number of its own. */
  | { type: 'divided'; divisors: number[]; before: RotaryScaling };

export type Llama3Scaling = {
  type: 'llama3';
  factor: number;
  lowFactor: number;
  highFactor: number;
  originalContext: number;
};

/** Thrown for a model that this engine does not run, with the reason. */
export class UnsupportedModelError extends Error {
  override name = 'UnsupportedModelError';
}

/** Thrown for a file that is damaged, or is something else than its name says. */
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
