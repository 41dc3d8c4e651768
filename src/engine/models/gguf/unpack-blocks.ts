import { float16Values } from '../half-floats.ts';

/** The codes of elements, and the scales and minima of their groups. Types without minima do not write them. */
export type BlockGroups = { codes: Uint8Array; scales: Float32Array; minima: Float32Array };

/**
 * Unpacks the block at `at`: writes its elements from `to` on, and its groups from `group` on
 * (https://github.com/ggml-org/llama.cpp/blob/master/ggml/src/ggml-common.h). Scales and minima are exact in f32.
 */
export type UnpackBlock = (bytes: Uint8Array, at: number, out: BlockGroups, to: number, group: number) => void;

const float16 = float16Values();

export function q4_0(bytes: Uint8Array, at: number, { codes, scales }: BlockGroups, to: number, group: number): void {
  scales[group] = half(bytes, at);
  unpackNibbles(bytes, at + 2, codes, to);
}

export function q4_1(bytes: Uint8Array, at: number, out: BlockGroups, to: number, group: number): void {
  out.scales[group] = half(bytes, at);
  out.minima[group] = half(bytes, at + 2);
  unpackNibbles(bytes, at + 4, out.codes, to);
}

export function q5_0(bytes: Uint8Array, at: number, { codes, scales }: BlockGroups, to: number, group: number): void {
  scales[group] = half(bytes, at);
  unpackNibbles(bytes, at + 6, codes, to);
  addFifthBits(bytes, at + 2, codes, to);
}

export function q5_1(bytes: Uint8Array, at: number, out: BlockGroups, to: number, group: number): void {
  out.scales[group] = half(bytes, at);
  out.minima[group] = half(bytes, at + 2);
  unpackNibbles(bytes, at + 8, out.codes, to);
  addFifthBits(bytes, at + 4, out.codes, to);
}

export function q8_0(bytes: Uint8Array, at: number, { codes, scales }: BlockGroups, to: number, group: number): void {
  scales[group] = half(bytes, at);
  for (let i = 0; i < 32; i++) codes[to + i] = bytes[at + 2 + i]! ^ 128; // from signed to unsigned
}

export function q4_K(bytes: Uint8Array, at: number, out: BlockGroups, to: number, group: number): void {
  for (let g = 0; g < 8; g++) {
    scaleOfGroup(bytes, at, g, out, group + g);
    const from = at + 16 + 32 * (g >> 1);
    const shift = g % 2 === 0 ? 0 : 4;
    for (let i = 0; i < 32; i++) out.codes[to + 32 * g + i] = (bytes[from + i]! >> shift) & 15;
  }
}

export function q5_K(bytes: Uint8Array, at: number, out: BlockGroups, to: number, group: number): void {
  for (let g = 0; g < 8; g++) {
    scaleOfGroup(bytes, at, g, out, group + g);
    const from = at + 48 + 32 * (g >> 1);
    const shift = g % 2 === 0 ? 0 : 4;
    for (let i = 0; i < 32; i++) {
      const high = (bytes[at + 16 + i]! >> g) & 1;
      out.codes[to + 32 * g + i] = ((bytes[from + i]! >> shift) & 15) | (high << 4);
    }
  }
}

export function q6_K(bytes: Uint8Array, at: number, { codes, scales }: BlockGroups, to: number, group: number): void {
  const scale = half(bytes, at + 208);
  for (let g = 0; g < 16; g++) scales[group + g] = scale * signed(bytes[at + 192 + g]!);
  for (let part = 0; part < 8; part++) {
    const low = at + 64 * (part >> 2) + 32 * (part & 1);
    const high = at + 128 + 32 * (part >> 2);
    const lowShift = part & 2 ? 4 : 0;
    const highShift = 2 * (part & 3);
    for (let i = 0; i < 32; i++) {
      codes[to + 32 * part + i] = ((bytes[low + i]! >> lowShift) & 15) | (((bytes[high + i]! >> highShift) & 3) << 4);
    }
  }
}

/** Unpacks 32 codes from 16 bytes: the first half from the low bits, the second from the high bits. */
function unpackNibbles(bytes: Uint8Array, at: number, codes: Uint8Array, to: number): void {
  for (let i = 0; i < 16; i++) {
    const pair = bytes[at + i]!;
    codes[to + i] = pair & 15;
    codes[to + 16 + i] = pair >> 4;
  }
}

function addFifthBits(bytes: Uint8Array, at: number, codes: Uint8Array, to: number): void {
  for (let i = 0; i < 32; i++) codes[to + i]! |= ((bytes[at + (i >> 3)]! >> (i & 7)) & 1) << 4;
}

/** Reads the scale and minimum of 32 elements: 6 bits each, packed in the 12 bytes after the block's two scales. */
function scaleOfGroup(bytes: Uint8Array, at: number, g: number, { scales, minima }: BlockGroups, group: number): void {
  const packed = at + 4;
  const low = bytes[packed + (g & 3)]!;
  const middle = bytes[packed + 4 + (g & 3)]!;
  const high = bytes[packed + 8 + (g & 3)]!;
  const scale = g < 4 ? low & 63 : (high & 15) | ((low >> 2) & 48);
  const minimum = g < 4 ? middle & 63 : (high >> 4) | ((middle >> 2) & 48);
  scales[group] = half(bytes, at) * scale;
  minima[group] = -half(bytes, at + 2) * minimum;
}

function half(bytes: Uint8Array, at: number): number {
  return float16[bytes[at]! | (bytes[at + 1]! << 8)]!;
}

function signed(byte: number): number {
  return (byte << 24) >> 24;
}
