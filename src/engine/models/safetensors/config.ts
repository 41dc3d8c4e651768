import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { architectures, checkConfig, type ModelConfig, type RotaryScaling, UnsupportedModelError } from '../config.ts';
import { rotaryConfig } from '../rotary.ts';

/** Fields of `rope_scaling`, and of `rope_parameters`, as newer files have it. */
const ropeSchema = z.object({
  rope_type: z.string().optional(),
  type: z.string().optional(),
  rope_theta: z.number().optional(),
  factor: z.number().optional(),
  low_freq_factor: z.number().optional(),
  high_freq_factor: z.number().optional(),
  original_max_position_embeddings: z.number().optional(),
  beta_fast: z.number().nullish(),
  beta_slow: z.number().nullish(),
  attention_factor: z.number().nullish(),
});

const configSchema = z.object({
  model_type: z.string(),
  vocab_size: z.int().positive(),
  hidden_size: z.int().positive(),
  intermediate_size: z.int().positive(),
  num_hidden_layers: z.int().positive(),
  num_attention_heads: z.int().positive(),
  num_key_value_heads: z.int().positive().nullish(),
  head_dim: z.int().positive().nullish(),
  hidden_act: z.string().optional(),
  rms_norm_eps: z.number().default(1e-6),
  max_position_embeddings: z.int().positive(),
  rope_theta: z.number().optional(),
  rope_scaling: ropeSchema.nullish(),
  rope_parameters: ropeSchema.nullish(),
  tie_word_embeddings: z.boolean().default(false),
  attention_bias: z.boolean().default(false),
  mlp_bias: z.boolean().default(false),
  sliding_window: z.int().positive().nullish(),
  use_sliding_window: z.boolean().default(false),
  max_window_layers: z.int().default(28),
  layer_types: z.array(z.string()).nullish(),
  quantization_config: z.object({ quant_method: z.string().default('an unknown method') }).nullish(),
});

type HuggingFaceConfig = z.infer<typeof configSchema>;

/** Reads `config.json` of a Hugging Face folder. What it leaves out has the default of `transformers`. */
export function readHuggingFaceConfig(folder: string): ModelConfig {
  return parseHuggingFaceConfig(JSON.parse(readFileSync(join(folder, 'config.json'), 'utf8')));
}

/** The same of a `config.json` that was parsed. @throws UnsupportedModelError for a model that is not run */
export function parseHuggingFaceConfig(json: unknown): ModelConfig {
  const parsed = configSchema.safeParse(json);
  if (!parsed.success) {
    throw new UnsupportedModelError(`config.json does not describe a language model: ${z.prettifyError(parsed.error)}`);
  }
  return toModelConfig(parsed.data);
}

function toModelConfig(file: HuggingFaceConfig): ModelConfig {
  const architecture = architectures.find((each) => each === file.model_type);
  if (architecture === undefined) {
    const known = architectures.join(', ');
    throw new UnsupportedModelError(`models of the type ${file.model_type} are not run; ${known} are`);
  }
  if (file.quantization_config) {
    const method = file.quantization_config.quant_method;
    throw new UnsupportedModelError(
      `the weights are quantised by ${method}; safetensors are taken unquantised, GGUF files quantised`,
    );
  }
  if ((file.hidden_act ?? 'silu') !== 'silu') throw new UnsupportedModelError(`the activation ${file.hidden_act}`);
  const defaultHeadDim = architecture === 'qwen3' ? 128 : file.hidden_size / file.num_attention_heads;
  const headDim = file.head_dim ?? defaultHeadDim;
  const takesBiasField = architecture === 'llama' || architecture === 'qwen3';
  const attentionBias = takesBiasField && file.attention_bias;
  return checkConfig({
    architecture,
    vocabSize: file.vocab_size,
    hiddenSize: file.hidden_size,
    feedForwardSize: file.intermediate_size,
    heads: file.num_attention_heads,
    kvHeads: file.num_key_value_heads ?? file.num_attention_heads,
    headDim,
    normEpsilon: file.rms_norm_eps,
    contextMax: file.max_position_embeddings,
    rotary: rotaryConfig(headDim, thetaOf(file), scalingOf(file)),
    layers: Array.from({ length: file.num_hidden_layers }, (_, layer) => ({ window: windowOf(file, layer) })),
    tiedEmbeddings: file.tie_word_embeddings,
    qkvBias: architecture === 'qwen2' || attentionBias,
    attentionOutBias: attentionBias,
    feedForwardBias: architecture === 'llama' && file.mlp_bias,
    queryKeyNorm: architecture === 'qwen3',
  });
}

function thetaOf(file: HuggingFaceConfig): number {
  return file.rope_parameters?.rope_theta ?? file.rope_theta ?? 10_000;
}

function scalingOf(file: HuggingFaceConfig): RotaryScaling {
  const rope = file.rope_parameters ?? file.rope_scaling;
  const type = rope?.rope_type ?? rope?.type ?? 'default';
  const factor = rope?.factor ?? 1;
  const originalContext = rope?.original_max_position_embeddings ?? file.max_position_embeddings;
  switch (type) {
    case 'default':
      return { type };
    case 'linear':
      return { type, factor };
    case 'llama3':
      return {
        type,
        factor,
        originalContext,
        lowFactor: rope?.low_freq_factor ?? 1,
        highFactor: rope?.high_freq_factor ?? 4,
      };
    case 'yarn':
      return {
        type,
        factor,
        originalContext,
        betaFast: rope?.beta_fast ?? 32,
        betaSlow: rope?.beta_slow ?? 1,
        scale: rope?.attention_factor ?? null,
      };
    default:
      throw new UnsupportedModelError(`the rope scaling ${type} is not computed; linear, llama3 and yarn are`);
  }
}

function windowOf(file: HuggingFaceConfig, layer: number): number | null {
  // Left out, it is 4096; null says that there is none.
  const window = file.sliding_window === undefined ? 4096 : file.sliding_window;
  if (file.model_type === 'mistral') return window;
  if (file.model_type === 'llama' || !file.use_sliding_window) return null;
  const type = file.layer_types?.[layer];
  const slides = type === undefined ? layer >= file.max_window_layers : type === 'sliding_attention';
  return slides ? window : null;
}
