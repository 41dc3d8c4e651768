import { elementCount, rowBytes, type StoredType } from './weight-source.ts';

/** A tensor that is written in pieces, so that it need not fit into memory. */
export type StreamedTensor = {
  name: string;
  shape: number[];
  type: StoredType;
  /** Rows are read in multiples of this number. */
  rowsTogether: number;
  readRows(first: number, count: number): Uint8Array;
};

const chunkElementsMax = 4 * 1024 ** 2;

export function tensorBytes({ shape, type }: Pick<StreamedTensor, 'shape' | 'type'>): number {
  return shape[0]! * rowBytes(shape, type);
}

export function* chunksOf({ shape, rowsTogether, readRows }: StreamedTensor): Generator<Uint8Array> {
  const [rows, ...rest] = shape as [number, ...number[]];
  const groups = Math.max(1, Math.floor(chunkElementsMax / (elementCount(rest) * rowsTogether)));
  const rowsAtOnce = groups * rowsTogether;
  for (let first = 0; first < rows; first += rowsAtOnce) yield readRows(first, Math.min(rowsAtOnce, rows - first));
}
