import { type GroupedRows, type GroupFormat, valuesOf } from '../grouped-rows.ts';
import type { WeightSource } from '../weight-source.ts';
import type { PackedFormat } from './quantization.ts';

/** A linear layer `[in, out]` packed in 32-bit words. */
type PackedMatrix = {
  inSize: number;
  outSize: number;
  /** The code for an input and an output. */
  codeAt: (input: number, output: number) => number;
  zeroAt: (group: number, output: number) => number;
  /** `[groups, out]` */
  scales: Float32Array;
  /** The group of each input. */
  groups: Int32Array;
};

/** The positions of a word's columns in AWQ's order, lowest bits first. */
const awqPlaces = [0, 4, 1, 5, 2, 6, 3, 7];

/** The largest group of `MatMulNBits`; the smallest has 16 elements. */
const groupSizeMax = 128;
const groupSizeMin = 16;

/** Adds matrices that are stored as `qweight`, `qzeros` and `scales` to the other weights, as `weight`. */
export function withPackedWeights(source: WeightSource, packed: PackedFormat): WeightSource {
  const isPacked = (name: string) => source.has(partOf(name, 'qweight'));
  let last: { name: string; matrix: PackedMatrix } | null = null;
  const matrixOf = (name: string) => {
    if (last?.name !== name) last = { name, matrix: readMatrix(source, name, packed) };
    return last.matrix;
  };
  const formatOf = (name: string) => groupFormat(groupsOfInputs(source, name, packed), packed);
  const rowsOf = (name: string, first: number, count: number, format: GroupFormat) =>
    readRows(matrixOf(name), { first, count }, format);
  const widenedRows = (name: string, first: number, count: number) => {
    if (!isPacked(name)) return source.readRows(name, first, count);
    const format = formatOf(name);
    return format === null
      ? readUngrouped(matrixOf(name), { first, count })
      : valuesOf(rowsOf(name, first, count, format), format);
  };
  return {
    ...source,
    has: (name) => source.has(name) || isPacked(name),
    shape: (name) => (isPacked(name) ? shapeOf(source, name, packed) : source.shape(name)),
    readRows: widenedRows,
    stored: (name) => (isPacked(name) ? widened : source.stored(name)),
    readStored: (name, first, count) =>
      isPacked(name)
        ? new Uint8Array(widenedRows(name, first, count).buffer as ArrayBuffer)
        : source.readStored(name, first, count),
    groups: (name) => (isPacked(name) ? formatOf(name) : null),
    readGroups: (name, first, count) => rowsOf(name, first, count, formatOf(name)!),
  };
}

/** The type in which matrices are exported. */
const widened = { name: 'F32', blockElements: 1, blockBytes: 4 };

function partOf(name: string, part: string): string {
  return name.replace(/\.weight$/, `.${part}`);
}

function shapeOf(source: WeightSource, name: string, { method, bits }: PackedFormat): number[] {
  const [rows, columns] = source.shape(partOf(name, 'qweight')) as [number, number];
  const perWord = 32 / bits;
  return method === 'gptq' ? [columns, rows * perWord] : [columns * perWord, rows];
}

function readMatrix(source: WeightSource, name: string, packed: PackedFormat): PackedMatrix {
  const { method, bits, zeroOffset } = packed;
  const [outSize, inSize] = shapeOf(source, name, packed) as [number, number];
  const words = (part: string) => {
    const [rows] = source.shape(partOf(name, part));
    return new Int32Array(source.readStored(partOf(name, part), 0, rows!).buffer);
  };
  const [codes, zeros] = [words('qweight'), words('qzeros')];
  const [scaleRows] = source.shape(partOf(name, 'scales'));
  const [perWord, mask] = [32 / bits, 2 ** bits - 1];
  /** Reads the number of one output from a row of words. */
  const outputIn = (row: Int32Array, start: number, output: number) => {
    const within = output % perWord;
    const place = method === 'awq' ? awqPlaces[within]! : within;
    return (row[start + Math.floor(output / perWord)]! >>> (bits * place)) & mask;
  };
  const inputIn = (input: number, output: number) =>
    (codes[Math.floor(input / perWord) * outSize + output]! >>> (bits * (input % perWord))) & mask;
  const wordsOfRow = outSize / perWord;
  return {
    inSize,
    outSize,
    codeAt: method === 'gptq' ? inputIn : (input, output) => outputIn(codes, input * wordsOfRow, output),
    zeroAt: (group, output) => outputIn(zeros, group * wordsOfRow, output) + zeroOffset,
    scales: source.readRows(partOf(name, 'scales'), 0, scaleRows!),
    groups: groupsOfInputs(source, name, packed),
  };
}

function groupsOfInputs(source: WeightSource, name: string, packed: PackedFormat): Int32Array {
  const [, inSize] = shapeOf(source, name, packed) as [number, number];
  const listed = partOf(name, 'g_idx');
  if (source.has(listed)) return new Int32Array(source.readStored(listed, 0, inSize).buffer);
  const groupSize = packed.groupSize ?? inSize;
  return Int32Array.from({ length: inSize }, (_, input) => Math.floor(input / groupSize));
}

/** Null if the inputs of a group are not contiguous, as with `desc_act`, or too few. Such matrices are widened. */
function groupFormat(groups: Int32Array, { bits }: PackedFormat): GroupFormat | null {
  for (let groupSize = groupSizeMax; groupSize >= groupSizeMin; groupSize /= 2) {
    const isWhole = groups.every((group, input) => group === groups[input - (input % groupSize)]);
    if (groups.length % groupSize === 0 && isWhole) return { bits, groupSize, hasMinima: true };
  }
  return null;
}

type Range = { first: number; count: number };

/** An element is `scale · (code − zero)`. The minima contain the difference between the zero and the middle of the codes. */
function readRows(matrix: PackedMatrix, { first, count }: Range, { bits, groupSize }: GroupFormat): GroupedRows {
  const { inSize, outSize, codeAt, zeroAt, scales, groups } = matrix;
  const groupsOfRow = inSize / groupSize;
  const middle = 2 ** (bits - 1);
  const rows = {
    codes: new Uint8Array(count * inSize),
    scales: new Float32Array(count * groupsOfRow),
    minima: new Float32Array(count * groupsOfRow),
  };
  for (let row = 0; row < count; row++) {
    for (let input = 0; input < inSize; input++) rows.codes[row * inSize + input] = codeAt(input, first + row);
    for (let group = 0; group < groupsOfRow; group++) {
      const ownGroup = groups[group * groupSize]!;
      const scale = scales[ownGroup * outSize + first + row]!;
      rows.scales[row * groupsOfRow + group] = scale;
      rows.minima[row * groupsOfRow + group] = scale * (middle - zeroAt(ownGroup, first + row));
    }
  }
  return rows;
}

function readUngrouped(matrix: PackedMatrix, { first, count }: Range): Float32Array {
  const { inSize, outSize, codeAt, zeroAt, scales, groups } = matrix;
  return Float32Array.from({ length: count * inSize }, (_, i) => {
    const [output, input] = [first + Math.floor(i / inSize), i % inSize];
    const group = groups[input]!;
    return scales[group * outSize + output]! * (codeAt(input, output) - zeroAt(group, output));
  });
}
