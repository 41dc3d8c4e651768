import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { parsePlain } from '../../../util/json/parse.ts';
import {
  type Architecture,
  architectures,
  checkConfig,
  type ModelConfig,
  type RotaryConfig,
  type RotaryScaling,
  UnsupportedModelError,
} from '../config.ts';
import { rotaryConfig } from '../rotary.ts';
import { isTiedByDefault, layerOf, shapeOf } from './families.ts';
import { configSchema, type HuggingFaceConfig, type ropeSchema } from './hugging-face-config.ts';
import { type PackedFormat, packedFormat, quantizationSchema } from './quantization.ts';

/** Reads `config.json` of a Hugging Face folder. Missing values have the defaults of `transformers`. */
export function readHuggingFaceConfig(folder: string): ModelConfig {
  return parseHuggingFaceConfig(parsePlain(readFileSync(join(folder, 'config.json'), 'utf8')));
}

/** The quantisation of a Hugging Face folder; null if there is none. */
export function readPackedFormat(folder: string): PackedFormat | null {
  return parsePackedFormat(parsePlain(readFileSync(join(folder, 'config.json'), 'utf8')));
}

/** The same from a parsed `config.json`. */
export function parsePackedFormat(json: unknown): PackedFormat | null {
  const { quantization_config } = z.object({ quantization_config: quantizationSchema.nullish() }).parse(json);
  return quantization_config ? packedFormat(quantization_config) : null;
}

/** The same from a parsed `config.json`. @throws UnsupportedModelError */
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
    throw new UnsupportedModelError(`models of the type ${file.model_type} are not supported; ${known} are`);
  }
  if (file.quantization_config) packedFormat(file.quantization_config);
  const headDim = file.head_dim ?? headDimOf(architecture, file);
  const takesBiasField = !['mistral', 'mixtral', 'qwen2', 'phi3'].includes(architecture);
  const attentionBias = takesBiasField && file.attention_bias;
  return checkConfig({
    architecture,
    vocabSize: file.vocab_size,
    hiddenSize: file.hidden_size,
    feedForwardSize: file.intermediate_size,
    heads: file.num_attention_heads,
    kvHeads: file.num_key_value_heads ?? file.num_attention_heads,
    headDim,
    normEpsilon: file.rms_norm_eps ?? (['mixtral', 'olmo2', 'phi3'].includes(architecture) ? 1e-5 : 1e-6),
    contextMax: contextOf(file),
    rotary: rotaryOf(file, headDim),
    layers: Array.from({ length: file.num_hidden_layers }, (_, layer) => layerOf(architecture, file, layer)),
    tiedEmbeddings: file.tie_word_embeddings ?? isTiedByDefault(architecture),
    qkvBias: architecture === 'qwen2' || attentionBias,
    attentionOutBias: attentionBias,
    feedForwardBias: (architecture === 'llama' || architecture === 'smollm3') && file.mlp_bias,
    ...shapeOf(architecture, file, headDim),
  });
}

function headDimOf(architecture: Architecture, file: HuggingFaceConfig): number {
  if (architecture === 'qwen3' || architecture === 'qwen3_moe') return 128;
  if (architecture === 'gemma2' || architecture === 'gemma3_text') return 256;
  return file.hidden_size / file.num_attention_heads;
}

function rotaryOf(file: HuggingFaceConfig, headDim: number): RotaryConfig {
  const rope = ropeOf(file);
  const share = rope?.partial_rotary_factor ?? file.partial_rotary_factor ?? 1;
  const defaultTheta = { gemma3_text: 1_000_000, smollm3: 2_000_000, mixtral: 1_000_000 }[file.model_type] ?? 10_000;
  const theta = rope?.rope_theta ?? file.rope_theta ?? defaultTheta;
  return rotaryConfig(Math.trunc(headDim * share), theta, scalingOf(file));
}

/** Older files of Gemma 3 have only the scaling of global layers. */
function ropeOf({ rope_parameters: ropes, rope_scaling }: HuggingFaceConfig): z.infer<typeof ropeSchema> | undefined {
  return ropes?.full_attention ?? ropes ?? rope_scaling ?? undefined;
}

function scalingOf(file: HuggingFaceConfig): RotaryScaling {
  const rope = ropeOf(file);
  const type = rope?.rope_type ?? rope?.type ?? 'default';
  const factor = rope?.factor ?? 1;
  const originalContext = originalContextOf(file);
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
    case 'longrope':
    case 'su':
      return longropeOf(file);
    default:
      throw new UnsupportedModelError(
        `the rope scaling ${type} is not supported; linear, llama3, longrope and yarn are`,
      );
  }
}

function longropeOf(file: HuggingFaceConfig): RotaryScaling {
  const { short_factor: factors, long_factor: longFactors, ...rope } = ropeOf(file)!;
  if (factors === undefined || longFactors === undefined) throw new UnsupportedModelError('longrope has no factors');
  const originalContext = originalContextOf(file);
  const factor = rope.factor ?? file.max_position_embeddings / originalContext;
  const ofFactor = factor <= 1 ? 1 : Math.sqrt(1 + Math.log(factor) / Math.log(originalContext));
  return { type: 'longrope', factors, longFactors, scale: rope.attention_factor ?? ofFactor };
}

function originalContextOf(file: HuggingFaceConfig): number {
  const found = ropeOf(file)?.original_max_position_embeddings ?? file.original_max_position_embeddings;
  return found ?? file.max_position_embeddings;
}

/**
 * With longrope, sequences longer than the original context use other frequencies from their first token on. Cached keys would
 * be wrong once a sequence grows beyond it, so it is the limit.
 */
function contextOf(file: HuggingFaceConfig): number {
  const rope = ropeOf(file);
  const isLongrope = ['longrope', 'su'].includes(rope?.rope_type ?? rope?.type ?? '');
  return isLongrope ? Math.min(originalContextOf(file), file.max_position_embeddings) : file.max_position_embeddings;
}
