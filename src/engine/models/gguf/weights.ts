import type { ModelConfig } from '../config.ts';
import { UnsupportedModelError } from '../config.ts';
import { type FileBytes, openFileBytes } from '../file-bytes.ts';
import { elementCount, type WeightSource } from '../weight-source.ts';
import { type GgufType, ggufTypes } from './dequantize.ts';
import type { GgufMetadata, GgufTensor } from './metadata.ts';

/** What tensors are called in GGUF files, by what they are called in Hugging Face models. */
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

export function openGgufWeights(path: string, metadata: GgufMetadata, config: ModelConfig): WeightSource {
  const file = openFileBytes(path);
  const find = (name: string) => {
    const tensor = metadata.tensors.get(ggufName(name));
    if (tensor === undefined) throw new Error(`${path} has no tensor ${ggufName(name)}`);
    return tensor;
  };
  return {
    has: (name) => metadata.tensors.has(ggufName(name)),
    shape: (name) => find(name).shape,
    readRows(name, first, count) {
      const tensor = find(name);
      // Files of the architecture `llama` interleave the two halves of each head of queries and keys.
      const interleaved = config.architecture === 'llama' && /\.self_attn\.[qk]_proj\./.test(name);
      if (!interleaved) return readGgufRows(file, tensor, first, count);
      return readInterleaved(file, tensor, first, count, config.headDim);
    },
    close: () => file.close(),
  };
}

/** Reads a tensor outside the layers, such as `rope_freqs.weight`. */
export function readGgufTensor(path: string, tensor: GgufTensor): Float32Array {
  const file = openFileBytes(path);
  try {
    return readGgufRows(file, tensor, 0, tensor.shape[0]!);
  } finally {
    file.close();
  }
}

function ggufName(name: string): string {
  const [, stem, kind] = /^(.+)\.(weight|bias)$/.exec(name)!;
  const [, layer, part] = /^model\.layers\.(\d+)\.(.+)$/.exec(stem!) ?? [];
  return part === undefined ? `${modelNames[stem!]}.${kind}` : `blk.${layer}.${layerNames[part]}.${kind}`;
}

function readGgufRows(file: FileBytes, tensor: GgufTensor, first: number, count: number): Float32Array {
  const type = typeOf(tensor);
  const rowBytes = (elementCount(tensor.shape.slice(1)) / type.blockElements) * type.blockBytes;
  return type.decode(file.read(tensor.offset + first * rowBytes, count * rowBytes));
}

/** Row `pair + half · headDim / 2` of a head is stored as row `2 · pair + half`. Whole heads are read. */
function readInterleaved(
  file: FileBytes,
  tensor: GgufTensor,
  first: number,
  count: number,
  headDim: number,
): Float32Array {
  const firstHead = Math.floor(first / headDim);
  const heads = Math.ceil((first + count) / headDim) - firstHead;
  const stored = readGgufRows(file, tensor, firstHead * headDim, heads * headDim);
  const width = elementCount(tensor.shape.slice(1));
  const out = new Float32Array(count * width);
  for (let i = 0; i < count; i++) {
    const row = first + i - firstHead * headDim;
    const within = row % headDim;
    const half = within < headDim / 2 ? 0 : 1;
    const from = row - within + 2 * (within - (half * headDim) / 2) + half;
    out.set(stored.subarray(from * width, (from + 1) * width), i * width);
  }
  return out;
}

function typeOf(tensor: GgufTensor): GgufType {
  const type = ggufTypes.get(tensor.type);
  if (type !== undefined) return type;
  const known = [...ggufTypes.values()].map(({ name }) => name).join(', ');
  throw new UnsupportedModelError(`${tensor.name} has the GGUF type ${tensor.type}, which is not read; ${known} are`);
}
