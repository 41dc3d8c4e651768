import type { GroupedRows, GroupFormat } from '../grouped-rows.ts';
import { middleOf } from '../grouped-rows.ts';
import { decodeBfloat16, decodeFloat16 } from '../half-floats.ts';
import type { BlockGroups, UnpackBlock } from './unpack-blocks.ts';
import * as unpack from './unpack-blocks.ts';

/** A tensor type of GGUF files. */
export type GgufType = {
  name: string;
  blockElements: number;
  blockBytes: number;
  decode: (bytes: Uint8Array<ArrayBuffer>) => Float32Array;
  /** How to read the groups of a quantised type; null for other types. */
  groups: { format: GroupFormat; read: (bytes: Uint8Array) => GroupedRows } | null;
};

/**
 * A quantised type. An element is `scale · (code − centre)`, or `scale · code + minimum` if groups have minima.
 */
type QuantisedType = {
  name: string;
  blockElements: number;
  blockBytes: number;
  groupSize: number;
  codeBits: number;
  /** Null if groups have minima. */
  centre: number | null;
  unpackBlock: UnpackBlock;
};

export const ggufTypes: ReadonlyMap<number, GgufType> = new Map([
  [0, plain('F32', 4, (bytes) => new Float32Array(bytes.buffer))],
  [1, plain('F16', 2, decodeFloat16)],
  [2, quantised({ ...small('Q4_0', 18, 4, 8), unpackBlock: unpack.q4_0 })],
  [3, quantised({ ...small('Q4_1', 20, 4, null), unpackBlock: unpack.q4_1 })],
  [6, quantised({ ...small('Q5_0', 22, 5, 16), unpackBlock: unpack.q5_0 })],
  [7, quantised({ ...small('Q5_1', 24, 5, null), unpackBlock: unpack.q5_1 })],
  [8, quantised({ ...small('Q8_0', 34, 8, 128), unpackBlock: unpack.q8_0 })],
  [12, quantised({ ...large('Q4_K', 144, 4, null), groupSize: 32, unpackBlock: unpack.q4_K })],
  [13, quantised({ ...large('Q5_K', 176, 5, null), groupSize: 32, unpackBlock: unpack.q5_K })],
  [14, quantised({ ...large('Q6_K', 210, 6, 32), groupSize: 16, unpackBlock: unpack.q6_K })],
  [30, plain('BF16', 2, decodeBfloat16)],
]);

function small(name: string, blockBytes: number, codeBits: number, centre: number | null) {
  return { name, blockElements: 32, groupSize: 32, blockBytes, codeBits, centre };
}

function large(name: string, blockBytes: number, codeBits: number, centre: number | null) {
  return { name, blockElements: 256, blockBytes, codeBits, centre };
}

function plain(name: string, blockBytes: number, decode: GgufType['decode']): GgufType {
  return { name, blockElements: 1, blockBytes, decode, groups: null };
}

function quantised(type: QuantisedType): GgufType {
  const { name, blockElements, blockBytes, groupSize, codeBits, centre } = type;
  const format: GroupFormat = { bits: codeBits <= 4 ? 4 : 8, groupSize, hasMinima: centre === null };
  return {
    name,
    blockElements,
    blockBytes,
    decode: (bytes) => decodeGroups(unpackBlocks(bytes, type), type),
    groups: {
      format,
      read(bytes) {
        const { codes, scales, minima } = unpackBlocks(bytes, type);
        const codesCentre = centre ?? 2 ** (codeBits - 1);
        const shift = middleOf(format) - codesCentre;
        return {
          codes: shift === 0 ? codes : codes.map((code) => code + shift),
          scales,
          minima: centre === null ? minima.map((minimum, i) => minimum + scales[i]! * codesCentre) : null,
        };
      },
    },
  };
}

function unpackBlocks(bytes: Uint8Array, type: QuantisedType): BlockGroups {
  const { blockElements, blockBytes, groupSize, unpackBlock } = type;
  const elements = (bytes.length / blockBytes) * blockElements;
  const groups: BlockGroups = {
    codes: new Uint8Array(elements),
    scales: new Float32Array(elements / groupSize),
    minima: new Float32Array(type.centre === null ? elements / groupSize : 0),
  };
  for (let at = 0, to = 0; at < bytes.length; at += blockBytes, to += blockElements) {
    unpackBlock(bytes, at, groups, to, to / groupSize);
  }
  return groups;
}

/** Products of a scale and a code are exact in f32, so each element is rounded once, as in the reference. */
function decodeGroups({ codes, scales, minima }: BlockGroups, { groupSize, centre }: QuantisedType): Float32Array {
  const out = new Float32Array(codes.length);
  for (let group = 0; group < scales.length; group++) {
    const scale = scales[group]!;
    const [from, end] = [group * groupSize, (group + 1) * groupSize];
    if (centre === null) for (let i = from; i < end; i++) out[i] = scale * codes[i]! + minima[group]!;
    else for (let i = from; i < end; i++) out[i] = scale * (codes[i]! - centre);
  }
  return out;
}
