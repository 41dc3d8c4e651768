import { endianness } from 'node:os';

/* The wire is little-endian, and its bytes may begin at any place of a buffer. */

if (endianness() !== 'LE')
  throw new Error('tensors are sent and read as they are in memory, which must be little-endian');

export function readFloats(bytes: Uint8Array): Float32Array {
  return new Float32Array(aligned(bytes));
}

export function readInts(bytes: Uint8Array): Int32Array {
  return new Int32Array(aligned(bytes));
}

/** Values beyond 32 bits become −1, which no token is. */
export function readLongs(bytes: Uint8Array): Int32Array {
  return Int32Array.from(new BigInt64Array(aligned(bytes)), (value) =>
    value > 0x7fffffffn || value < -0x80000000n ? -1 : Number(value),
  );
}

export function bytesOf(values: Float32Array | Int32Array | BigInt64Array): Uint8Array {
  return new Uint8Array(values.buffer, values.byteOffset, values.byteLength);
}

function aligned(bytes: Uint8Array): ArrayBuffer {
  return new Uint8Array(bytes).buffer;
}
