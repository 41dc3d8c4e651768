/** Files of models as small as they can be, whole enough for whoever looks at them. */

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

export function folderFiles(config: Record<string, unknown> = {}): Record<string, Buffer> {
  const text = (value: unknown) => Buffer.from(JSON.stringify(value));
  return {
    'config.json': text({ architectures: ['LlamaForCausalLM'], max_position_embeddings: 256, ...config }),
    'generation_config.json': text({ temperature: 0.5 }),
    'tokenizer.json': text({ model: { type: 'BPE', vocab: {}, merges: [] } }),
    'tokenizer_config.json': text({ chat_template: '{{ messages }}' }),
    'model.safetensors': safetensorsFile(),
  };
}

const ggmlTypes = { F32: 0, Q4_1: 3, Q5_0: 6 };

/** A GGUF file of one tensor of 1,024 elements. */
export function ggufFile({
  architecture = 'llama',
  type = 'F32' as keyof typeof ggmlTypes,
  tokens = ['a', 'b'],
} = {}): Buffer {
  const u32 = (value: number) => Buffer.from(Uint32Array.of(value).buffer);
  const u64 = (value: number) => Buffer.from(BigUint64Array.of(BigInt(value)).buffer);
  const text = (value: string) => Buffer.concat([u64(Buffer.byteLength(value)), Buffer.from(value)]);
  const [ofU32, ofText, ofArray] = [u32(4), u32(8), u32(9)];
  const metadata = [
    [text('general.architecture'), ofText, text(architecture)],
    [text(`${architecture}.context_length`), ofU32, u32(512)],
    [text('tokenizer.ggml.tokens'), ofArray, ofText, u64(tokens.length), ...tokens.map(text)],
  ];
  const tensor = [text('output_norm.weight'), u32(1), u64(1024), u32(ggmlTypes[type]), u64(0)];
  const head = [Buffer.from('GGUF'), u32(3), u64(1), u64(metadata.length), ...metadata.flat(), ...tensor];
  const length = Buffer.concat(head).length;
  return Buffer.concat([...head, Buffer.alloc((32 - (length % 32)) % 32), Buffer.alloc(4096)]);
}
