import { type Adapter, adapterScale } from '../adapters/adapter.ts';
import { graphWeights } from '../graphs/weights.ts';
import type { ModelSource } from '../models/open-source.ts';
import type { StreamedTensor } from '../models/streamed-tensor.ts';
import type { StoredType } from '../models/weight-source.ts';

export const float32: StoredType = { name: 'F32', blockElements: 1, blockBytes: 4 };

/**
 * The tensors of a model under their names in Hugging Face models. Tensors that the adapter changes are merged in f32; others
 * keep their stored form.
 */
export function mergedTensors({ config, weights }: ModelSource, adapter: Adapter | null): StreamedTensor[] {
  return graphWeights(config)
    .flatMap(({ parts }) => parts)
    .map((name) => {
      const isMerged = adapter?.modules.has(moduleOf(name)) ?? false;
      const asStored: StreamedTensor = {
        name,
        shape: weights.shape(name),
        type: weights.stored(name),
        rowsTogether: 1,
        readRows: (first, count) => weights.readStored(name, first, count),
      };
      if (!isMerged) return asStored;
      const read = (first: number, count: number) =>
        mergeRows(weights.readRows(name, first, count), first, count, adapter!, name);
      return { ...asStored, type: float32, readRows: (first, count) => bytesOf(read(first, count)) };
    });
}

/** The same tensor, converted to f32. */
export function inFloat32(tensor: StreamedTensor, { weights }: ModelSource): StreamedTensor {
  if (tensor.type.name === float32.name) return tensor;
  return {
    ...tensor,
    type: float32,
    readRows: (first, count) => bytesOf(weights.readRows(tensor.name, first, count)),
  };
}

function moduleOf(name: string): string {
  return name.endsWith('.weight') ? name.slice(0, -'.weight'.length) : '';
}

/** Rows of `weight + scale · b · a`, summed in f64 and rounded once. */
function mergeRows(rows: Float32Array, first: number, count: number, adapter: Adapter, name: string): Float32Array {
  const { rank } = adapter;
  const { a, b } = adapter.modules.get(moduleOf(name))!;
  const scale = adapterScale(adapter);
  const width = rows.length / count;
  const sums = new Float64Array(width);
  for (let row = 0; row < count; row++) {
    const values = rows.subarray(row * width, (row + 1) * width);
    sums.set(values);
    for (let r = 0; r < rank; r++) {
      const factor = scale * b[(first + row) * rank + r]!;
      const from = r * width;
      for (let i = 0; i < width; i++) sums[i]! += factor * a[from + i]!;
    }
    values.set(sums);
  }
  return rows;
}

function bytesOf(values: Float32Array): Uint8Array {
  return new Uint8Array(values.buffer, values.byteOffset, values.byteLength);
}
