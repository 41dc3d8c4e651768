import type { Architecture } from '../config.ts';

/** The names of architectures in GGUF files; null if GGUF files are not supported. Mistral models use the name of Llama. */
export const ggufArchitectures: Record<Architecture, string | null> = {
  llama: 'llama',
  mistral: 'llama',
  qwen2: 'qwen2',
  qwen3: 'qwen3',
  smollm3: 'smollm3',
  olmo2: 'olmo2',
  phi3: null,
  gemma2: 'gemma2',
  gemma3_text: 'gemma3',
  mixtral: null,
  qwen3_moe: null,
};

/** Other names in models that norm outputs. */
const postNormNames: Record<string, string> = {
  post_attention_layernorm: 'post_attention_norm',
  pre_feedforward_layernorm: 'ffn_norm',
  post_feedforward_layernorm: 'post_ffw_norm',
};

/** Names of tensors in GGUF files, by name in Hugging Face models. */
const modelNames: Record<string, string> = {
  'model.embed_tokens': 'token_embd',
  'model.norm': 'output_norm',
  lm_head: 'output',
};

const layerNames: Record<string, string> = {
  input_layernorm: 'attn_norm',
  post_attention_layernorm: 'ffn_norm',
  'self_attn.q_proj': 'attn_q',
  'self_attn.k_proj': 'attn_k',
  'self_attn.v_proj': 'attn_v',
  'self_attn.o_proj': 'attn_output',
  'self_attn.q_norm': 'attn_q_norm',
  'self_attn.k_norm': 'attn_k_norm',
  'mlp.gate_proj': 'ffn_gate',
  'mlp.up_proj': 'ffn_up',
  'mlp.down_proj': 'ffn_down',
};

export function ggufName(architecture: Architecture, name: string): string {
  const [, stem, kind] = /^(.+)\.(weight|bias)$/.exec(name)!;
  const [, layer, part] = /^model\.layers\.(\d+)\.(.+)$/.exec(stem!) ?? [];
  const ownNames = ['olmo2', 'gemma2', 'gemma3_text'].includes(architecture) ? postNormNames : {};
  return part === undefined
    ? `${modelNames[stem!]}.${kind}`
    : `blk.${layer}.${ownNames[part] ?? layerNames[part]}.${kind}`;
}

/**
 * Whether a tensor, named as in Hugging Face models, is stored with the two halves of each head interleaved. This applies to
 * queries and keys in files of the architectures `llama` and `smollm3`.
 */
export function isInterleaved(architecture: Architecture, name: string): boolean {
  return ['llama', 'mistral', 'smollm3'].includes(architecture) && /\.self_attn\.[qk]_proj\./.test(name);
}

/** Row `pair + half · headDim / 2` of a head is stored as row `2 · pair + half`. */
export function interleavedRow(row: number, headDim: number): number {
  const within = row % headDim;
  const half = within < headDim / 2 ? 0 : 1;
  return row - within + 2 * (within - (half * headDim) / 2) + half;
}

/** Reorders the rows of heads, of `rowBytes` each, as a GGUF file stores them. */
export function interleave(rows: Uint8Array, rowBytes: number, headDim: number): Uint8Array<ArrayBuffer> {
  const out = new Uint8Array(rows.length);
  for (let row = 0; row * rowBytes < rows.length; row++) {
    out.set(rows.subarray(row * rowBytes, (row + 1) * rowBytes), interleavedRow(row, headDim) * rowBytes);
  }
  return out;
}
