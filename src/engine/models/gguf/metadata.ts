import { stat } from 'node:fs/promises';
import { type GGUFParseOutput, gguf } from '@huggingface/gguf';

type GgufValue = string | number | bigint | boolean | GgufValue[] | null;

/** What stands before the weights of a GGUF file: its key-value pairs as they are named there, and where each tensor lies. */
export type GgufMetadata = {
  values: Record<string, GgufValue>;
  tensors: Map<string, GgufTensor>;
};

export type GgufTensor = {
  name: string;
  /** Rows before columns, as in PyTorch; GGUF itself writes the fastest dimension first. */
  shape: number[];
  /** The number of the type, see `dequantize.ts`. */
  type: number;
  /** From the start of the file. */
  offset: number;
};

/** Reads the metadata of a GGUF file, tokenizer and chat template included, and none of its weights. */
export async function readGgufMetadata(path: string): Promise<GgufMetadata> {
  const { size } = await stat(path);
  const parsed = await gguf(path, { allowLocalFile: true }).catch((cause: Error) => {
    throw new Error(`${path} cannot be read as a GGUF file: ${cause.message}`, { cause });
  });
  const tensors = new Map(parsed.tensorInfos.map((info) => [info.name, toTensor(info, parsed.tensorDataOffset)]));
  for (const { name, offset } of tensors.values()) {
    if (offset > size) throw new Error(`${path} is cut off: the tensor ${name} lies beyond its end`);
  }
  const { tensor_count: _count, kv_count: _pairs, version: _version, ...values } = parsed.metadata;
  return { values: values as Record<string, GgufValue>, tensors };
}

function toTensor(info: GGUFParseOutput['tensorInfos'][number], dataOffset: bigint): GgufTensor {
  return {
    name: info.name,
    shape: info.shape.map(Number).reverse(),
    type: info.dtype,
    offset: Number(dataOffset + info.offset),
  };
}
