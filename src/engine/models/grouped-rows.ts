/**
 * Rows of a quantised matrix. Each row is divided into groups, whose elements share a scale and, in some formats, a minimum.
 * An element is `scale · (code − middle) + minimum`. The middle is 8 for codes of 4 bits, and 128 for codes of 8 bits.
 */
export type GroupedRows = {
  /** One for each element. */
  codes: Uint8Array;
  /** One for each group. */
  scales: Float32Array;
  /** One for each group; null if all are 0. */
  minima: Float32Array | null;
};

/** The format of a quantised matrix. */
export type GroupFormat = { bits: 4 | 8; groupSize: number; hasMinima: boolean };

export function middleOf({ bits }: GroupFormat): number {
  return bits === 4 ? 8 : 128;
}

/** A format that represents all of these exactly, to combine matrices of different formats. */
export function commonFormat(formats: GroupFormat[]): GroupFormat {
  return {
    bits: formats.some(({ bits }) => bits === 8) ? 8 : 4,
    groupSize: Math.min(...formats.map(({ groupSize }) => groupSize)),
    hasMinima: formats.some(({ hasMinima }) => hasMinima),
  };
}

/** Converts rows to a format that represents them exactly. */
export function convertRows(rows: GroupedRows, from: GroupFormat, to: GroupFormat): GroupedRows {
  const shift = middleOf(to) - middleOf(from);
  const repeats = from.groupSize / to.groupSize;
  const scales = repeated(rows.scales, repeats);
  const minima = rows.minima === null ? null : repeated(rows.minima, repeats);
  return {
    codes: shift === 0 ? rows.codes : rows.codes.map((code) => code + shift),
    scales,
    minima: to.hasMinima ? (minima ?? new Float32Array(scales.length)) : null,
  };
}

/** The elements as f32. */
export function valuesOf(rows: GroupedRows, format: GroupFormat): Float32Array<ArrayBuffer> {
  const values = new Float32Array(rows.codes.length);
  const middle = middleOf(format);
  for (let i = 0; i < values.length; i++) {
    const group = Math.floor(i / format.groupSize);
    values[i] = rows.scales[group]! * (rows.codes[i]! - middle) + (rows.minima?.[group] ?? 0);
  }
  return values;
}

/** Packs two codes of 4 bits into a byte, the first in the low half. */
export function packCodes(codes: Uint8Array, { bits }: GroupFormat): Uint8Array {
  if (bits === 8) return codes;
  const packed = new Uint8Array(codes.length / 2);
  for (let i = 0; i < packed.length; i++) packed[i] = codes[2 * i]! | (codes[2 * i + 1]! << 4);
  return packed;
}

export function unpackCodes(packed: Uint8Array, { bits }: GroupFormat): Uint8Array {
  if (bits === 8) return packed;
  const codes = new Uint8Array(packed.length * 2);
  for (let i = 0; i < packed.length; i++) {
    codes[2 * i] = packed[i]! & 15;
    codes[2 * i + 1] = packed[i]! >> 4;
  }
  return codes;
}

function repeated(values: Float32Array, times: number): Float32Array {
  if (times === 1) return values;
  return Float32Array.from({ length: values.length * times }, (_, i) => values[Math.floor(i / times)]!);
}
