import { decodeBfloat16, decodeFloat16 } from '../half-floats.ts';

export type ElementType = { bytes: number; decode: (bytes: Uint8Array<ArrayBuffer>) => Float32Array };

/** The types of weights that are read, as safetensors files name them. */
export const elementTypes: ReadonlyMap<string, ElementType> = new Map([
  ['F32', { bytes: 4, decode: (bytes) => new Float32Array(bytes.buffer) }],
  ['F16', { bytes: 2, decode: decodeFloat16 }],
  ['BF16', { bytes: 2, decode: decodeBfloat16 }],
  // Of quantised layers: codes and zeros in words, and the groups of inputs.
  ['I32', { bytes: 4, decode: (bytes) => Float32Array.from(new Int32Array(bytes.buffer)) }],
]);
