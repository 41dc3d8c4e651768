import { decodeBfloat16, decodeFloat16, float16Values } from '../half-floats.ts';

/**
 * A type of tensors in GGUF files. Weights are stored in blocks of some elements, each with its own scales
 * (https://github.com/ggml-org/llama.cpp/blob/master/ggml/src/ggml-common.h). Products of a scale and a quantised
 * value are exact in f32, so each element is rounded once, like in the reference.
 */
export type GgufType = {
  name: string;
  blockElements: number;
  blockBytes: number;
  decode: (bytes: Uint8Array<ArrayBuffer>) => Float32Array;
};

/** Writes the elements of the block at `at` of the bytes to `out` from `to` on. */
type DecodeBlock = (bytes: Uint8Array, at: number, out: Float32Array, to: number) => void;

export const ggufTypes: ReadonlyMap<number, GgufType> = new Map([
  [0, { name: 'F32', blockElements: 1, blockBytes: 4, decode: (bytes) => new Float32Array(bytes.buffer) }],
  [1, { name: 'F16', blockElements: 1, blockBytes: 2, decode: decodeFloat16 }],
  [2, blocks('Q4_0', 32, 18, decodeQ4_0)],
  [3, blocks('Q4_1', 32, 20, decodeQ4_1)],
  [6, blocks('Q5_0', 32, 22, decodeQ5_0)],
  [7, blocks('Q5_1', 32, 24, decodeQ5_1)],
  [8, blocks('Q8_0', 32, 34, decodeQ8_0)],
  [12, blocks('Q4_K', 256, 144, decodeQ4_K)],
  [13, blocks('Q5_K', 256, 176, decodeQ5_K)],
  [14, blocks('Q6_K', 256, 210, decodeQ6_K)],
  [30, { name: 'BF16', blockElements: 1, blockBytes: 2, decode: decodeBfloat16 }],
]);

const float16 = float16Values();

function blocks(name: string, blockElements: number, blockBytes: number, decodeBlock: DecodeBlock): GgufType {
  return {
    name,
    blockElements,
    blockBytes,
    decode(bytes) {
      const count = bytes.length / blockBytes;
      const out = new Float32Array(count * blockElements);
      for (let i = 0; i < count; i++) decodeBlock(bytes, i * blockBytes, out, i * blockElements);
      return out;
    },
  };
}

function decodeQ4_0(bytes: Uint8Array, at: number, out: Float32Array, to: number): void {
  const scale = half(bytes, at);
  for (let i = 0; i < 16; i++) {
    const pair = bytes[at + 2 + i]!;
    out[to + i] = scale * ((pair & 15) - 8);
    out[to + 16 + i] = scale * ((pair >> 4) - 8);
  }
}

function decodeQ4_1(bytes: Uint8Array, at: number, out: Float32Array, to: number): void {
  const scale = half(bytes, at);
  const minimum = half(bytes, at + 2);
  for (let i = 0; i < 16; i++) {
    const pair = bytes[at + 4 + i]!;
    out[to + i] = scale * (pair & 15) + minimum;
    out[to + 16 + i] = scale * (pair >> 4) + minimum;
  }
}

function decodeQ5_0(bytes: Uint8Array, at: number, out: Float32Array, to: number): void {
  const scale = half(bytes, at);
  for (let i = 0; i < 16; i++) {
    const pair = bytes[at + 6 + i]!;
    out[to + i] = scale * (((pair & 15) | (bit(bytes, at + 2, i) << 4)) - 16);
    out[to + 16 + i] = scale * (((pair >> 4) | (bit(bytes, at + 2, i + 16) << 4)) - 16);
  }
}

function decodeQ5_1(bytes: Uint8Array, at: number, out: Float32Array, to: number): void {
  const scale = half(bytes, at);
  const minimum = half(bytes, at + 2);
  for (let i = 0; i < 16; i++) {
    const pair = bytes[at + 8 + i]!;
    out[to + i] = scale * ((pair & 15) | (bit(bytes, at + 4, i) << 4)) + minimum;
    out[to + 16 + i] = scale * ((pair >> 4) | (bit(bytes, at + 4, i + 16) << 4)) + minimum;
  }
}

function decodeQ8_0(bytes: Uint8Array, at: number, out: Float32Array, to: number): void {
  const scale = half(bytes, at);
  for (let i = 0; i < 32; i++) out[to + i] = scale * signed(bytes[at + 2 + i]!);
}

function decodeQ4_K(bytes: Uint8Array, at: number, out: Float32Array, to: number): void {
  for (let group = 0; group < 8; group++) {
    const { scale, minimum } = scaleOfGroup(bytes, at, group);
    const from = at + 16 + 32 * (group >> 1);
    const shift = group % 2 === 0 ? 0 : 4;
    for (let i = 0; i < 32; i++) out[to + 32 * group + i] = scale * ((bytes[from + i]! >> shift) & 15) - minimum;
  }
}

function decodeQ5_K(bytes: Uint8Array, at: number, out: Float32Array, to: number): void {
  for (let group = 0; group < 8; group++) {
    const { scale, minimum } = scaleOfGroup(bytes, at, group);
    const from = at + 48 + 32 * (group >> 1);
    const shift = group % 2 === 0 ? 0 : 4;
    for (let i = 0; i < 32; i++) {
      const high = (bytes[at + 16 + i]! >> group) & 1;
      out[to + 32 * group + i] = scale * (((bytes[from + i]! >> shift) & 15) | (high << 4)) - minimum;
    }
  }
}

function decodeQ6_K(bytes: Uint8Array, at: number, out: Float32Array, to: number): void {
  const scale = half(bytes, at + 208);
  for (let group = 0; group < 8; group++) {
    const low = at + 64 * (group >> 2) + 32 * (group & 1);
    const high = at + 128 + 32 * (group >> 2);
    const lowShift = group & 2 ? 4 : 0;
    const highShift = 2 * (group & 3);
    for (let i = 0; i < 32; i++) {
      const value = ((bytes[low + i]! >> lowShift) & 15) | (((bytes[high + i]! >> highShift) & 3) << 4);
      const groupScale = scale * signed(bytes[at + 192 + 2 * group + (i >> 4)]!);
      out[to + 32 * group + i] = groupScale * (value - 32);
    }
  }
}

/** The scale and the minimum of 32 elements: six bits each, packed into the 12 bytes after the two scales of the block. */
function scaleOfGroup(bytes: Uint8Array, at: number, group: number): { scale: number; minimum: number } {
  const packed = at + 4;
  const low = bytes[packed + (group & 3)]!;
  const middle = bytes[packed + 4 + (group & 3)]!;
  const high = bytes[packed + 8 + (group & 3)]!;
  const scale = group < 4 ? low & 63 : (high & 15) | ((low >> 2) & 48);
  const minimum = group < 4 ? middle & 63 : (high >> 4) | ((middle >> 2) & 48);
  return { scale: half(bytes, at) * scale, minimum: half(bytes, at + 2) * minimum };
}

function half(bytes: Uint8Array, at: number): number {
  return float16[bytes[at]! | (bytes[at + 1]! << 8)]!;
}

function bit(bytes: Uint8Array, at: number, index: number): number {
  return (bytes[at + (index >> 3)]! >> (index & 7)) & 1;
}

function signed(byte: number): number {
  return (byte << 24) >> 24;
}
