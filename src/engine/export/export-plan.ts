import type { Adapter } from '../adapters/adapter.ts';
import { openFileBytes } from '../models/file-bytes.ts';
import type { GgufMetadata } from '../models/gguf/metadata.ts';
import { ggufName, interleave, isInterleaved } from '../models/gguf/names.ts';
import { readGgufRows, typeOf } from '../models/gguf/weights.ts';
import { frequencyDivisors } from '../models/gguf/write-config.ts';
import type { ModelSource } from '../models/open-source.ts';
import { elementTypes } from '../models/safetensors/element-types.ts';
import type { StreamedTensor } from '../models/streamed-tensor.ts';
import { rowBytes } from '../models/weight-source.ts';
import { float32, inFloat32, mergedTensors } from './merged-tensors.ts';

/** The tensors of a model merged with an adapter, for safetensors. Quantised weights become f32. */
export function tensorsForSafetensors(source: ModelSource, adapter: Adapter | null): StreamedTensor[] {
  return mergedTensors(source, adapter).map((tensor) =>
    elementTypes.has(tensor.type.name) ? tensor : inFloat32(tensor, source),
  );
}

/** The same for a GGUF file, from a model folder. llama.cpp expects vectors in f32. */
export function tensorsForGguf(source: ModelSource, adapter: Adapter | null): StreamedTensor[] {
  const tensors = mergedTensors(source, adapter).map((tensor) =>
    asInGguf(tensor.shape.length === 1 ? inFloat32(tensor, source) : tensor, source),
  );
  const divisors = frequencyDivisors(source.config);
  return divisors === null ? tensors : [...tensors, vector('rope_freqs.weight', divisors)];
}

/** The same from a GGUF file. Tensors that the adapter does not change are copied. */
export function tensorsOfGguf(
  path: string,
  metadata: GgufMetadata,
  source: ModelSource,
  adapter: Adapter | null,
): StreamedTensor[] {
  const file = openFileBytes(path);
  const changed = new Map(
    mergedTensors(source, adapter)
      .filter(({ name }) => adapter?.modules.has(name.replace(/\.weight$/, '')))
      .map((tensor) => [ggufName(source.config.architecture, tensor.name), asInGguf(tensor, source)]),
  );
  return [...metadata.tensors.values()].map((tensor) => {
    const { name, shape } = tensor;
    const readRows = (first: number, count: number) => readGgufRows(file, tensor, first, count);
    return changed.get(name) ?? { name, shape, type: typeOf(tensor), rowsTogether: 1, readRows };
  });
}

function asInGguf(tensor: StreamedTensor, { config: { architecture, headDim } }: ModelSource): StreamedTensor {
  const named = { ...tensor, name: ggufName(architecture, tensor.name) };
  if (!isInterleaved(architecture, tensor.name)) return named;
  const bytes = rowBytes(tensor.shape, tensor.type);
  return {
    ...named,
    rowsTogether: headDim,
    readRows: (first, count) => interleave(tensor.readRows(first, count), bytes, headDim),
  };
}

function vector(name: string, values: Float32Array): StreamedTensor {
  const readRows = (first: number, count: number) => new Uint8Array(values.slice(first, first + count).buffer);
  return { name, shape: [values.length], type: float32, rowsTogether: 1, readRows };
}
