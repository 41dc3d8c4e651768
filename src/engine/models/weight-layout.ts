import { commonFormat, type GroupFormat } from './grouped-rows.ts';
import { elementCount, type WeightSource } from './weight-source.ts';

/** A tensor of the file: the rows of some tensors of the model, one after the other. */
export type FileWeight = { name: string; shape: number[]; parts: string[] };

/** Where a tensor is in the file, and how: as f32, or in the groups of a quantised matrix. */
export type WeightPlace =
  | { kind: 'f32'; file: string; shape: number[]; offset: number }
  | { kind: 'grouped'; file: string; shape: number[]; format: GroupFormat; offsets: GroupOffsets };

type GroupOffsets = { codes: number; scales: number; minima: number | null };

/** The places of all weights in a file, and its size. */
export type WeightLayout = { places: Map<string, WeightPlace>; bytes: number };

/** So that each tensor is mapped into memory from where it starts. */
const alignment = 4096;

/** The format in which a weight is kept quantised: that of all its parts. Null: it is widened to f32. */
export function groupFormatOf({ parts }: FileWeight, source: Pick<WeightSource, 'groups'>): GroupFormat | null {
  const formats = parts.map((part) => source.groups(part));
  return formats.every((format) => format !== null) ? commonFormat(formats) : null;
}

/** @param formats of the weights that stay quantised, by name */
export function layOut(file: string, weights: FileWeight[], formats: ReadonlyMap<string, GroupFormat>): WeightLayout {
  const places = new Map<string, WeightPlace>();
  let bytes = 0;
  const take = (size: number) => {
    const offset = bytes;
    bytes += Math.ceil(size / alignment) * alignment;
    return offset;
  };
  for (const { name, shape } of weights) {
    const elements = elementCount(shape);
    const format = formats.get(name);
    if (format === undefined) {
      places.set(name, { kind: 'f32', file, shape, offset: take(4 * elements) });
      continue;
    }
    const groups = elements / format.groupSize;
    const offsets = {
      codes: take((elements * format.bits) / 8),
      scales: take(4 * groups),
      minima: format.hasMinima ? take(4 * groups) : null,
    };
    places.set(name, { kind: 'grouped', file, shape, format, offsets });
  }
  return { places, bytes };
}
