import { type ModelConfig, type RotaryConfig, UnsupportedModelError } from '../config.ts';
import { llama3ScalingOf } from '../rotary.ts';

/** Special tokens, with the names of `config.json` and `generation_config.json`. */
export type TokenIds = { bos_token_id?: number; eos_token_id?: number; pad_token_id?: number };

/**
 * The inverse of `readHuggingFaceConfig`, for models read from GGUF files.
 * @throws UnsupportedModelError for a model that `config.json` cannot describe
 */
export function huggingFaceConfig(config: ModelConfig, tokens: TokenIds): Record<string, unknown> {
  const window = config.layers[0]!.window;
  const [type, architecture] = nameOf(config, window);
  return {
    architectures: [architecture],
    model_type: type,
    ...tokens,
    vocab_size: config.vocabSize,
    hidden_size: config.hiddenSize,
    intermediate_size: config.feedForwardSize,
    num_hidden_layers: config.layers.length,
    num_attention_heads: config.heads,
    num_key_value_heads: config.kvHeads,
    head_dim: config.headDim,
    hidden_act: 'silu',
    rms_norm_eps: config.normEpsilon,
    max_position_embeddings: config.contextMax,
    rope_parameters: ropeParameters(config.rotary, config.headDim),
    tie_word_embeddings: config.tiedEmbeddings,
    ...(type === 'llama' ? { attention_bias: config.qkvBias, mlp_bias: config.feedForwardBias } : {}),
    ...(type === 'mistral' ? { sliding_window: window } : {}),
    ...(type.startsWith('qwen') ? windowsOfQwen(config, window) : {}),
    dtype: 'float32',
  };
}

/** A Llama model with a window is a Mistral model. */
function nameOf(config: ModelConfig, window: number | null): [type: string, architecture: string] {
  const { architecture, qkvBias, attentionOutBias, feedForwardBias, queryKeyNorm } = config;
  switch (architecture) {
    case 'llama':
    case 'mistral': {
      const isMistral = window !== null;
      const fits = isMistral ? !qkvBias && !attentionOutBias && !feedForwardBias : qkvBias === attentionOutBias;
      if (!fits || queryKeyNorm !== 'none') throw unusual(config);
      return isMistral ? ['mistral', 'MistralForCausalLM'] : ['llama', 'LlamaForCausalLM'];
    }
    case 'qwen2':
      if (!qkvBias || attentionOutBias || feedForwardBias || queryKeyNorm !== 'none') throw unusual(config);
      return ['qwen2', 'Qwen2ForCausalLM'];
    case 'qwen3':
      if (qkvBias || attentionOutBias || feedForwardBias || queryKeyNorm === 'none') throw unusual(config);
      return ['qwen3', 'Qwen3ForCausalLM'];
    case 'smollm3':
    case 'olmo2':
    case 'phi3':
    case 'gemma2':
    case 'gemma3_text':
    case 'mixtral':
    case 'qwen3_moe':
      throw new UnsupportedModelError(`GGUF files of ${architecture} cannot be written as folders`);
    default:
      throw new Error(`no config.json for ${architecture satisfies never}`);
  }
}

function unusual({ architecture }: ModelConfig): UnsupportedModelError {
  return new UnsupportedModelError(`its biases or norms are not those of ${architecture} in transformers`);
}

function ropeParameters({ theta, scaling }: RotaryConfig, headDim: number): Record<string, unknown> {
  switch (scaling.type) {
    case 'default':
      return { rope_type: 'default', rope_theta: theta };
    case 'linear':
      return { rope_type: 'linear', rope_theta: theta, factor: scaling.factor };
    case 'yarn':
      return {
        rope_type: 'yarn',
        rope_theta: theta,
        factor: scaling.factor,
        original_max_position_embeddings: scaling.originalContext,
      };
    case 'llama3':
      return {
        rope_type: 'llama3',
        rope_theta: theta,
        factor: scaling.factor,
        low_freq_factor: scaling.lowFactor,
        high_freq_factor: scaling.highFactor,
        original_max_position_embeddings: scaling.originalContext,
      };
    case 'longrope':
      throw new UnsupportedModelError('longrope cannot be written');
    case 'divided': {
      const { divisors, before } = scaling;
      const found = before.type === 'default' ? llama3ScalingOf(divisors, headDim, theta) : null;
      if (found !== null) return ropeParameters({ theta, scaling: found } as RotaryConfig, headDim);
      throw new UnsupportedModelError(
        'its rope_freqs.weight scales the rotary embedding in a way that config.json cannot describe',
      );
    }
    default:
      throw new Error(`no rope_parameters for ${(scaling satisfies never as { type: string }).type}`);
  }
}

function windowsOfQwen({ layers }: ModelConfig, window: number | null) {
  const type = window === null ? 'full_attention' : 'sliding_attention';
  return {
    use_sliding_window: window !== null,
    sliding_window: window,
    max_window_layers: window === null ? layers.length : 0,
    layer_types: layers.map(() => type),
  };
}
