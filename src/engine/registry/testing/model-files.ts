/** Minimal model files that can be inspected. */

type Tensors = Record<string, { dtype: string; shape: number[]; bytes: number }>;

export function safetensorsFile(
  tensors: Tensors = { 'model.norm.weight': { dtype: 'F32', shape: [512], bytes: 2048 } },
): Buffer {
  let offset = 0;
  const entries = Object.entries(tensors).map(([name, { dtype, shape, bytes }]) => {
    const entry = { dtype, shape, data_offsets: [offset, offset + bytes] };
    offset += bytes;
    return [name, entry];
  });
  const header = Buffer.from(JSON.stringify(Object.fromEntries(entries)));
  const length = Buffer.alloc(8);
  length.writeBigUInt64LE(BigInt(header.length));
  return Buffer.concat([length, header, Buffer.alloc(offset, 7)]);
}

const smallConfig = {
  architectures: ['LlamaForCausalLM'],
  model_type: 'llama',
  max_position_embeddings: 256,
  vocab_size: 8,
  hidden_size: 8,
  intermediate_size: 8,
  num_hidden_layers: 1,
  num_attention_heads: 2,
};

const byteLevel = { type: 'ByteLevel', add_prefix_space: false, trim_offsets: true, use_regex: false };
const plainTokenizer = {
  added_tokens: [],
  normalizer: null,
  pre_tokenizer: byteLevel,
  post_processor: null,
  decoder: byteLevel,
};

export function folderFiles(config: Record<string, unknown> = {}): Record<string, Buffer> {
  const text = (value: unknown) => Buffer.from(JSON.stringify(value));
  return {
    'config.json': text({ ...smallConfig, ...config }),
    'generation_config.json': text({ temperature: 0.5 }),
    'tokenizer.json': text({ ...plainTokenizer, model: { type: 'BPE', vocab: { a: 0, b: 1 }, merges: [] } }),
    'tokenizer_config.json': text({ chat_template: '{{ messages }}' }),
    'model.safetensors': safetensorsFile(),
  };
}

const ggmlTypes = { F32: 0, Q4_1: 3, Q2_K: 10 };

/** A GGUF file with one tensor of 1,024 elements. */
export function ggufFile({
  architecture = 'llama',
  type = 'F32' as keyof typeof ggmlTypes,
  tokens = ['a', 'b'],
} = {}): Buffer {
  const u32 = (value: number) => Buffer.from(Uint32Array.of(value).buffer);
  const u64 = (value: number) => Buffer.from(BigUint64Array.of(BigInt(value)).buffer);
  const text = (value: string) => Buffer.concat([u64(Buffer.byteLength(value)), Buffer.from(value)]);
  const f32 = (value: number) => Buffer.from(Float32Array.of(value).buffer);
  const [ofU32, ofF32, ofText, ofArray] = [u32(4), u32(6), u32(8), u32(9)];
  const sizes = { context_length: 512, block_count: 1, embedding_length: 8, feed_forward_length: 8 };
  const metadata = [
    [text('general.architecture'), ofText, text(architecture)],
    ...Object.entries({ ...sizes, 'attention.head_count': 2 }).map(([key, value]) => [
      text(`${architecture}.${key}`),
      ofU32,
      u32(value),
    ]),
    [text(`${architecture}.attention.layer_norm_rms_epsilon`), ofF32, f32(1e-5)],
    [text('tokenizer.ggml.model'), ofText, text('gpt2')],
    [text('tokenizer.ggml.tokens'), ofArray, ofText, u64(tokens.length), ...tokens.map(text)],
    [text('tokenizer.ggml.merges'), ofArray, ofText, u64(0)],
  ];
  const tensor = [text('output_norm.weight'), u32(1), u64(1024), u32(ggmlTypes[type]), u64(0)];
  const head = [Buffer.from('GGUF'), u32(3), u64(1), u64(metadata.length), ...metadata.flat(), ...tensor];
  const length = Buffer.concat(head).length;
  return Buffer.concat([...head, Buffer.alloc((32 - (length % 32)) % 32), Buffer.alloc(4096)]);
}
