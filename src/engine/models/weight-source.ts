import type { GroupedRows, GroupFormat } from './grouped-rows.ts';

/** Weights by their names in Hugging Face models (`model.layers.0.self_attn.q_proj.weight`), read as f32 on demand. */
export type WeightSource = {
  has(name: string): boolean;
  /** Rows before columns: a linear layer is `[out, in]`. */
  shape(name: string): number[];
  /** Rows of a matrix, or elements of a vector. It reads the file before it returns: for threads that may wait. */
  readRows(name: string, first: number, count: number): Float32Array;
  /** How a tensor's rows are stored: `F32`, `BF16`, `Q4_1`. */
  stored(name: string): StoredType;
  /** The same rows as they are stored. */
  readStored(name: string, first: number, count: number): Uint8Array<ArrayBuffer>;
  /** The format of a quantised matrix; null for other tensors. */
  groups(name: string): GroupFormat | null;
  /** Rows of a quantised matrix, in this format. */
  readGroups(name: string, first: number, count: number): GroupedRows;
  close(): void;
};

/** A type of elements, which are stored in blocks; in all but quantised types these have one element. */
export type StoredType = { name: string; blockElements: number; blockBytes: number };

/** The bytes of one row of a tensor. */
export function rowBytes(shape: number[], { blockElements, blockBytes }: StoredType): number {
  return (elementCount(shape.slice(1)) / blockElements) * blockBytes;
}

export function elementCount(shape: number[]): number {
  return shape.reduce((product, size) => product * size, 1);
}
