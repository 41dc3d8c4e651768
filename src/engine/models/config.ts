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
  /** Whether queries and keys are normed head by head before they are rotated. */
  queryKeyNorm: boolean;
};

export type Architecture = (typeof architectures)[number];

export const architectures = ['llama', 'mistral', 'qwen2', 'qwen3'] as const;

export type LayerConfig = {
  /** How many tokens a token sees, itself included; null: all before it. */
  window: number | null;
};

export type RotaryConfig = {
  /** What the frequencies are made of. */
  theta: number;
  scaling: RotaryScaling;
  /** Radians a position, one for each pair of a head's dimensions; any scaling for long contexts is worked in. */
  inverseFrequencies: number[];
  /** What cosine and sine are multiplied with. */
  scale: number;
};

/** How a model stretches its rotary embedding over longer contexts, in the words of Hugging Face. */
export type RotaryScaling =
  | { type: 'default' }
  | { type: 'linear'; factor: number }
  | Llama3Scaling
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
  if (headDim % 2 !== 0) throw new UnsupportedModelError(`a head of ${headDim} dimensions cannot be rotated in pairs`);
  return config;
}
