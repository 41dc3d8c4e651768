import {
  type Architecture,
  type ExpertsConfig,
  type LayerConfig,
  llamaShape,
  type ModelShape,
  UnsupportedModelError,
} from '../config.ts';
import { rotaryConfig } from '../rotary.ts';
import type { HuggingFaceConfig } from './hugging-face-config.ts';

/** Properties of each family that `config.json` lacks or has in fields of the family. */
export function shapeOf(architecture: Architecture, file: HuggingFaceConfig, headDim: number): ModelShape {
  const isGemma = architecture === 'gemma2' || architecture === 'gemma3_text';
  checkActivation(isGemma ? (file.hidden_activation ?? 'gelu_pytorch_tanh') : (file.hidden_act ?? 'silu'), isGemma);
  switch (architecture) {
    case 'llama':
    case 'mistral':
    case 'qwen2':
    case 'smollm3':
      return llamaShape;
    case 'qwen3':
      return { ...llamaShape, queryKeyNorm: 'heads' };
    case 'olmo2':
      return { ...llamaShape, queryKeyNorm: 'whole', norms: 'after' };
    case 'phi3':
      return { ...llamaShape, hasFusedLinear: true };
    case 'gemma2':
      return gemmaShape(file, { attentionCap: 50, logitCap: 30 });
    case 'gemma3_text':
      if (file.use_bidirectional_attention) throw new UnsupportedModelError('bidirectional attention is not supported');
      return {
        ...gemmaShape(file, { attentionCap: null, logitCap: null }),
        queryKeyNorm: 'heads',
        localRotary: rotaryConfig(headDim, localThetaOf(file), { type: 'default' }),
      };
    case 'mixtral':
    case 'qwen3_moe':
      return {
        ...llamaShape,
        queryKeyNorm: architecture === 'qwen3_moe' ? 'heads' : 'none',
        experts: expertsOf(architecture, file),
      };
    default:
      throw new Error(`no shape for ${architecture satisfies never}`);
  }
}

export function isTiedByDefault(architecture: Architecture): boolean {
  return architecture.startsWith('gemma') || architecture === 'smollm3';
}

export function layerOf(architecture: Architecture, file: HuggingFaceConfig, layer: number): LayerConfig {
  const window = windowOf(architecture, file, layer);
  return {
    window,
    rotary: rotaryKindOf(architecture, file, layer),
    hasExperts: architecture === 'mixtral' || (architecture === 'qwen3_moe' && isSparse(file, layer)),
  };
}

function gemmaShape(file: HuggingFaceConfig, caps: Pick<ModelShape, 'attentionCap' | 'logitCap'>): ModelShape {
  const given = (value: number | null | undefined, fallback: number | null) => (value === undefined ? fallback : value);
  return {
    ...llamaShape,
    norms: 'both',
    activation: 'gelu',
    attentionScale: (file.query_pre_attn_scalar ?? 256) ** -0.5,
    attentionCap: given(file.attn_logit_softcapping, caps.attentionCap),
    logitCap: given(file.final_logit_softcapping, caps.logitCap),
    embeddingScale: Math.sqrt(file.hidden_size),
  };
}

function localThetaOf({ rope_parameters: ropes, rope_local_base_freq: theta }: HuggingFaceConfig): number {
  return ropes?.sliding_attention?.rope_theta ?? theta;
}

function expertsOf(architecture: 'mixtral' | 'qwen3_moe', file: HuggingFaceConfig): ExpertsConfig {
  if (file.quantization_config) throw new UnsupportedModelError('experts with quantised weights are not supported');
  if (architecture === 'mixtral') {
    const { num_local_experts: count = 8, num_experts_per_tok: used = 2 } = file;
    return { count, used, size: file.intermediate_size, normalizes: true };
  }
  const { num_experts_per_tok: used = 8, moe_intermediate_size: size = 768 } = file;
  const count = file.num_experts ?? file.num_local_experts ?? 128;
  return { count, used, size, normalizes: file.norm_topk_prob ?? false };
}

function isSparse({ mlp_only_layers: plain, decoder_sparse_step: step }: HuggingFaceConfig, layer: number): boolean {
  return !plain?.includes(layer) && (layer + 1) % step === 0;
}

function rotaryKindOf(architecture: Architecture, file: HuggingFaceConfig, layer: number): LayerConfig['rotary'] {
  if (architecture === 'gemma3_text') return isSlidingGemma(architecture, file, layer) ? 'local' : 'global';
  if (architecture !== 'smollm3') return 'global';
  const rotates = file.no_rope_layers?.[layer] ?? Number((layer + 1) % file.no_rope_layer_interval !== 0);
  return rotates === 0 ? 'none' : 'global';
}

/** Every second layer in Gemma 2, and five of six in Gemma 3. */
function isSlidingGemma(architecture: Architecture, file: HuggingFaceConfig, layer: number): boolean {
  const pattern = architecture === 'gemma2' ? 2 : file.sliding_window_pattern;
  const type = file.layer_types?.[layer];
  return type === undefined ? (layer + 1) % pattern !== 0 : type === 'sliding_attention';
}

function windowOf(architecture: Architecture, file: HuggingFaceConfig, layer: number): number | null {
  // The default is 4096; null means no window.
  const window = file.sliding_window === undefined ? 4096 : file.sliding_window;
  switch (architecture) {
    case 'mistral':
      return window;
    case 'phi3':
    case 'mixtral':
      return file.sliding_window ?? null;
    case 'gemma2':
    case 'gemma3_text':
      return isSlidingGemma(architecture, file, layer) ? window : null;
    case 'llama':
    case 'olmo2':
      return null;
    default: {
      if (!file.use_sliding_window) return null;
      const type = file.layer_types?.[layer];
      return (type === undefined ? layer >= file.max_window_layers : type === 'sliding_attention') ? window : null;
    }
  }
}

function checkActivation(activation: string, isGemma: boolean): void {
  const computed = isGemma ? ['gelu_pytorch_tanh', 'gelu_tanh'] : ['silu'];
  if (!computed.includes(activation)) throw new UnsupportedModelError(`the activation ${activation} is not supported`);
}
