import { decodeBfloat16, decodeFloat16 } from '../half-floats.ts';

export type ElementType = { bytes: number; decode: (bytes: Uint8Array<ArrayBuffer>) => Float32Array };

/** Supported types of weights, by name in safetensors files. */
export const elementTypes: ReadonlyMap<string, ElementType> = new Map([
  ['F32', { bytes: 4, decode: (bytes) => new Float32Array(bytes.buffer) }],
  ['F16', { bytes: 2, decode: decodeFloat16 }],
  ['BF16', { bytes: 2, decode: decodeBfloat16 }],
  // For quantised layers: packed codes and zeros, and the groups of inputs.
  ['I32', { bytes: 4, decode: (bytes) => Float32Array.from(new Int32Array(bytes.buffer)) }],
]);
