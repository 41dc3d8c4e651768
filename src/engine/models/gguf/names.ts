import type { Architecture } from '../config.ts';

/** The names of architectures in GGUF files. Mistral models use the name of Llama. */
export const ggufArchitectures: Record<Architecture, string> = {
  llama: 'llama',
  mistral: 'llama',
  qwen2: 'qwen2',
  qwen3: 'qwen3',
};

/** The names of tensors in GGUF files, by their names in Hugging Face models. */
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

export function ggufName(name: string): string {
  const [, stem, kind] = /^(.+)\.(weight|bias)$/.exec(name)!;
  const [, layer, part] = /^model\.layers\.(\d+)\.(.+)$/.exec(stem!) ?? [];
  return part === undefined ? `${modelNames[stem!]}.${kind}` : `blk.${layer}.${layerNames[part]}.${kind}`;
}

/**
 * Whether a tensor, by its name in Hugging Face models, is stored with the two halves of each head interleaved: queries
 * and keys in files of the architecture `llama`.
 */
export function isInterleaved(architecture: Architecture, name: string): boolean {
  return ggufArchitectures[architecture] === 'llama' && /\.self_attn\.[qk]_proj\./.test(name);
}

/** Row `pair + half · headDim / 2` of a head is stored as row `2 · pair + half`. */
export function interleavedRow(row: number, headDim: number): number {
  const within = row % headDim;
  const half = within < headDim / 2 ? 0 : 1;
  return row - within + 2 * (within - (half * headDim) / 2) + half;
}

/** The rows of heads, of some bytes each, as a GGUF file stores them. */
export function interleave(rows: Uint8Array, rowBytes: number, headDim: number): Uint8Array<ArrayBuffer> {
  const out = new Uint8Array(rows.length);
  for (let row = 0; row * rowBytes < rows.length; row++) {
    out.set(rows.subarray(row * rowBytes, (row + 1) * rowBytes), interleavedRow(row, headDim) * rowBytes);
  }
  return out;
}
