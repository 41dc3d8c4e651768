import { commonFormat, type GroupFormat } from './grouped-rows.ts';
import { elementCount, type WeightSource } from './weight-source.ts';

/** A tensor of the file: the concatenated rows of tensors of the model. */
export type FileWeight = { name: string; shape: number[]; parts: string[] };

/** Position and form of a tensor in the file: f32, or the groups of a quantised matrix. */
export type WeightPlace =
  | { kind: 'f32'; file: string; shape: number[]; offset: number }
  | { kind: 'grouped'; file: string; shape: number[]; format: GroupFormat; offsets: GroupOffsets };

type GroupOffsets = { codes: number; scales: number; minima: number | null };

/** The places of all weights in a file, and its size. */
export type WeightLayout = { places: Map<string, WeightPlace>; bytes: number };

/** Mapping a tensor into memory requires this alignment. */
const alignment = 4096;

/** The format of a weight that stays quantised: one that fits all of its parts. Null if it is widened to f32. */
export function groupFormatOf({ parts }: FileWeight, source: Pick<WeightSource, 'groups'>): GroupFormat | null {
  const formats = parts.map((part) => source.groups(part));
  return formats.every((format) => format !== null) ? commonFormat(formats) : null;
}

/** @param formats the formats of weights that stay quantised, by name */
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
