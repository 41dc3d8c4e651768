import { isLlamaLike, type ModelConfig, type RotaryScaling, UnsupportedModelError } from '../config.ts';
import { plainFrequencies } from '../rotary.ts';
import { ggufArchitectures } from './names.ts';
import { ggufValue, type TypedValues } from './values.ts';

/** The inverse of `readGgufConfig`. @throws UnsupportedModelError for a model that llama.cpp would compute differently */
export function ggufConfigValues(config: ModelConfig): TypedValues {
  checkComputed(config);
  const { count, real, text } = ggufValue;
  const architecture = ggufArchitectures[config.architecture]!;
  const own = {
    vocab_size: count(config.vocabSize),
    block_count: count(config.layers.length),
    context_length: count(config.contextMax),
    embedding_length: count(config.hiddenSize),
    feed_forward_length: count(config.feedForwardSize),
    'attention.head_count': count(config.heads),
    'attention.head_count_kv': count(config.kvHeads),
    'attention.key_length': count(config.headDim),
    'attention.value_length': count(config.headDim),
    'attention.layer_norm_rms_epsilon': real(config.normEpsilon),
    'rope.dimension_count': count(config.headDim),
    'rope.freq_base': real(config.rotary.theta),
    ...scalingValues(config.rotary.scaling),
  };
  const named = Object.entries(own).map(([key, value]) => [`${architecture}.${key}`, value]);
  return { 'general.architecture': text(architecture), ...Object.fromEntries(named) };
}

/** The tensor `rope_freqs.weight`, which has the scaling of Llama 3; null without such scaling. */
export function frequencyDivisors({ rotary, headDim }: ModelConfig): Float32Array | null {
  if (rotary.scaling.type !== 'llama3') return null;
  const plain = plainFrequencies(headDim, rotary.theta);
  return Float32Array.from(plain, (each, i) => each / rotary.inverseFrequencies[i]!);
}

function scalingValues(scaling: RotaryScaling): TypedValues {
  const { count, real, text } = ggufValue;
  switch (scaling.type) {
    case 'default':
    case 'llama3':
      return {};
    case 'linear':
      return { 'rope.scaling.type': text('linear'), 'rope.scaling.factor': real(scaling.factor) };
    case 'yarn':
      if (scaling.betaFast !== 32 || scaling.betaSlow !== 1 || scaling.scale !== null) {
        throw new UnsupportedModelError('a GGUF file has no fields for this form of the rope scaling yarn');
      }
      return {
        'rope.scaling.type': text('yarn'),
        'rope.scaling.factor': real(scaling.factor),
        'rope.scaling.original_context_length': count(scaling.originalContext),
      };
    case 'longrope':
      throw new UnsupportedModelError('longrope is not supported in GGUF files');
    case 'divided':
      throw new UnsupportedModelError('the rope scaling of a GGUF file can only be copied');
    default:
      throw new UnsupportedModelError(`rope scaling ${(scaling satisfies never as { type: string }).type}`);
  }
}

function checkComputed(config: ModelConfig): void {
  const { architecture, layers, qkvBias, attentionOutBias, contextMax } = config;
  if (!isLlamaLike(config)) {
    throw new UnsupportedModelError(`folders of ${architecture} cannot be written as GGUF files`);
  }
  if (config.rotary.inverseFrequencies.length * 2 !== config.headDim) {
    throw new UnsupportedModelError('config.json rotates only a part of each head (partial_rotary_factor)');
  }
  const window = layers.find((each) => each.window !== null && each.window < contextMax)?.window;
  if (window !== undefined) {
    throw new UnsupportedModelError(
      `some layers have a window of ${window} tokens, which llama.cpp does not support for this architecture`,
    );
  }
  const hasOtherBias = attentionOutBias || (qkvBias && architecture !== 'qwen2');
  if (hasOtherBias && architecture.startsWith('qwen')) {
    throw new UnsupportedModelError(`its attention has biases, which llama.cpp does not read for ${architecture}`);
  }
}
