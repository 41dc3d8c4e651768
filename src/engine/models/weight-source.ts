import type { GroupedRows, GroupFormat } from './grouped-rows.ts';

/** Weights by name in Hugging Face models, such as `model.layers.0.self_attn.q_proj.weight`, read as f32 on demand. */
export type WeightSource = {
  has(name: string): boolean;
  /** Rows before columns: the shape of a linear layer is `[out, in]`. */
  shape(name: string): number[];
  /** Reads rows of a matrix, or elements of a vector. Blocks. */
  readRows(name: string, first: number, count: number): Float32Array;
  /** How a tensor is stored, such as `F32`, `BF16` or `Q4_1`. */
  stored(name: string): StoredType;
  /** Reads the same rows in their stored form. */
  readStored(name: string, first: number, count: number): Uint8Array<ArrayBuffer>;
  /** The format of a quantised matrix; null for other tensors. */
  groups(name: string): GroupFormat | null;
  /** Reads rows of a quantised matrix. */
  readGroups(name: string, first: number, count: number): GroupedRows;
  close(): void;
};

/** A stored type. Elements are stored in blocks, which have one element unless the type is quantised. */
export type StoredType = { name: string; blockElements: number; blockBytes: number };

/** The size of a tensor's row in bytes. */
export function rowBytes(shape: number[], { blockElements, blockBytes }: StoredType): number {
  return (elementCount(shape.slice(1)) / blockElements) * blockBytes;
}

export function elementCount(shape: number[]): number {
  return shape.reduce((product, size) => product * size, 1);
}
