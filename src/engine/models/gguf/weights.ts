import type { ModelConfig } from '../config.ts';
import { UnsupportedModelError } from '../config.ts';
import { type FileBytes, openFileBytes } from '../file-bytes.ts';
import { rowBytes, type WeightSource } from '../weight-source.ts';
import { type GgufType, ggufTypes } from './dequantize.ts';
import type { GgufMetadata, GgufTensor } from './metadata.ts';
import { ggufName, interleavedRow, isInterleaved } from './names.ts';

export function openGgufWeights(path: string, metadata: GgufMetadata, config: ModelConfig): WeightSource {
  const file = openFileBytes(path);
  const find = (name: string) => {
    const tensor = metadata.tensors.get(ggufName(config.architecture, name));
    if (tensor === undefined) throw new Error(`${path} has no tensor ${ggufName(config.architecture, name)}`);
    return tensor;
  };
  const readStored = (name: string, first: number, count: number) => {
    const tensor = find(name);
    if (!isInterleaved(config.architecture, name)) return readGgufRows(file, tensor, first, count);
    return readInterleaved(file, tensor, first, count, config.headDim);
  };
  return {
    has: (name) => metadata.tensors.has(ggufName(config.architecture, name)),
    shape: (name) => find(name).shape,
    readRows: (name, first, count) => typeOf(find(name)).decode(readStored(name, first, count)),
    stored: (name) => typeOf(find(name)),
    readStored,
    ...ggufGroups(metadata, config),
    readGroups: (name, first, count) => typeOf(find(name)).groups!.read(readStored(name, first, count)),
    close: () => file.close(),
  };
}

/** The formats of quantised weights. */
export function ggufGroups(
  metadata: GgufMetadata,
  { architecture }: Pick<ModelConfig, 'architecture'>,
): Pick<WeightSource, 'groups'> {
  return {
    groups(name) {
      const tensor = metadata.tensors.get(ggufName(architecture, name));
      return tensor === undefined ? null : (typeOf(tensor).groups?.format ?? null);
    },
  };
}

/** Reads a tensor outside the layers, such as `rope_freqs.weight`. */
export function readGgufTensor(path: string, tensor: GgufTensor): Float32Array {
  const file = openFileBytes(path);
  try {
    return typeOf(tensor).decode(readGgufRows(file, tensor, 0, tensor.shape[0]!));
  } finally {
    file.close();
  }
}

/** Rows of a tensor as they are stored. */
export function readGgufRows(
  file: FileBytes,
  tensor: GgufTensor,
  first: number,
  count: number,
): Uint8Array<ArrayBuffer> {
  const bytes = rowBytes(tensor.shape, typeOf(tensor));
  return file.read(tensor.offset + first * bytes, count * bytes);
}

/** Reads whole heads. */
function readInterleaved(
  file: FileBytes,
  tensor: GgufTensor,
  first: number,
  count: number,
  headDim: number,
): Uint8Array<ArrayBuffer> {
  const firstHead = Math.floor(first / headDim);
  const heads = Math.ceil((first + count) / headDim) - firstHead;
  const stored = readGgufRows(file, tensor, firstHead * headDim, heads * headDim);
  const bytes = rowBytes(tensor.shape, typeOf(tensor));
  const out = new Uint8Array(count * bytes);
  for (let i = 0; i < count; i++) {
    const from = interleavedRow(first + i - firstHead * headDim, headDim);
    out.set(stored.subarray(from * bytes, (from + 1) * bytes), i * bytes);
  }
  return out;
}

/** @throws UnsupportedModelError for an unsupported type */
export function typeOf(tensor: GgufTensor): GgufType {
  const type = ggufTypes.get(tensor.type);
  if (type !== undefined) return type;
  const known = [...ggufTypes.values()].map(({ name }) => name).join(', ');
  throw new UnsupportedModelError(
    `${tensor.name} has the GGUF type ${tensor.type}, which is not supported; ${known} are`,
  );
}
