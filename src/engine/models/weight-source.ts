/** Weights by their names in Hugging Face models (`model.layers.0.self_attn.q_proj.weight`), read as f32 on demand. */
export type WeightSource = {
  has(name: string): boolean;
  /** Rows before columns: a linear layer is `[out, in]`. */
  shape(name: string): number[];
  /** Rows of a matrix, or elements of a vector. It reads the file before it returns: for threads that may wait. */
  readRows(name: string, first: number, count: number): Float32Array;
  close(): void;
};

export function elementCount(shape: number[]): number {
  return shape.reduce((product, size) => product * size, 1);
}
