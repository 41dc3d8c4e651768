import { z } from 'zod';
import { architectures, checkConfig, type ModelConfig, type RotaryScaling, UnsupportedModelError } from '../config.ts';
import { rotaryConfig } from '../rotary.ts';
import { ggufLayer, ggufShape } from './families.ts';
import { type GgufConfig, valuesSchema } from './gguf-config.ts';
import type { GgufMetadata } from './metadata.ts';
import { ggufArchitectures } from './names.ts';

/**
 * Reads the configuration of a model from the metadata of a GGUF file.
 * @param frequencyDivisors the tensor `rope_freqs.weight`, which has the scaling of the rotary embedding of Llama 3
 */
export function readGgufConfig(metadata: GgufMetadata, frequencyDivisors: Float32Array | null): ModelConfig {
  const name = String(metadata.values['general.architecture']);
  const architecture = architectures.find((each) => ggufArchitectures[each] === name);
  if (architecture === undefined) {
    const known = [...new Set(Object.values(ggufArchitectures).filter((each) => each !== null))].join(', ');
    throw new UnsupportedModelError(`GGUF files of the architecture ${name} are not supported; ${known} are`);
  }
  const values = parseValues(metadata, name);
  const headDim = values['attention.key_length'] ?? values.embedding_length / values['attention.head_count'];
  checkShape(values, headDim);
  const rotary = rotaryConfig(headDim, values['rope.freq_base'], scalingOf(values, frequencyDivisors));
  return checkConfig({
    architecture,
    vocabSize: metadata.tensors.get('token_embd.weight')?.shape[0] ?? 0,
    hiddenSize: values.embedding_length,
    feedForwardSize: values.feed_forward_length,
    heads: values['attention.head_count'],
    kvHeads: values['attention.head_count_kv'] ?? values['attention.head_count'],
    headDim,
    normEpsilon: values['attention.layer_norm_rms_epsilon'],
    contextMax: values.context_length,
    rotary,
    layers: Array.from({ length: values.block_count }, (_, layer) => ggufLayer(architecture, values, layer)),
    tiedEmbeddings: !metadata.tensors.has('output.weight'),
    qkvBias: metadata.tensors.has('blk.0.attn_q.bias'),
    attentionOutBias: metadata.tensors.has('blk.0.attn_output.bias'),
    feedForwardBias: metadata.tensors.has('blk.0.ffn_down.bias'),
    ...ggufShape(architecture, values, { headDim, normsHeads: metadata.tensors.has('blk.0.attn_q_norm.weight') }),
  });
}

function parseValues(metadata: GgufMetadata, architecture: string): GgufConfig {
  const prefix = `${architecture}.`;
  const own = Object.entries(metadata.values).filter(([key]) => key.startsWith(prefix));
  const parsed = valuesSchema.safeParse(
    Object.fromEntries(own.map(([key, value]) => [key.slice(prefix.length), value])),
  );
  if (parsed.success) return parsed.data;
  throw new UnsupportedModelError(`the metadata does not describe a language model: ${z.prettifyError(parsed.error)}`);
}

function checkShape(values: GgufConfig, headDim: number): void {
  if (values.expert_count > 0) throw new UnsupportedModelError('models with several experts are not supported');
  if (
    (values['attention.value_length'] ?? headDim) !== headDim ||
    (values['rope.dimension_count'] ?? headDim) !== headDim
  ) {
    throw new UnsupportedModelError('heads with values of another size and partially rotated heads are not supported');
  }
}

function scalingOf(values: GgufConfig, frequencyDivisors: Float32Array | null): RotaryScaling {
  const before = namedScaling(values);
  return frequencyDivisors === null ? before : { type: 'divided', divisors: [...frequencyDivisors], before };
}

function namedScaling(values: GgufConfig): RotaryScaling {
  const factor = values['rope.scaling.factor'];
  const originalContext = values['rope.scaling.original_context_length'] ?? values.context_length;
  switch (values['rope.scaling.type']) {
    case 'none':
      return { type: 'default' };
    case 'linear':
      return { type: 'linear', factor };
    case 'yarn':
      return { type: 'yarn', factor, originalContext, betaFast: 32, betaSlow: 1, scale: null };
    default:
      throw new UnsupportedModelError(`the rope scaling ${values['rope.scaling.type']} is not supported`);
  }
}
