let float16Table: Float32Array | undefined;

/** All values of 16-bit floats, indexed by their bits. */
export function float16Values(): Float32Array {
  float16Table ??= Float32Array.from({ length: 65_536 }, (_, bits) => fromFloat16(bits));
  return float16Table;
}

export function decodeFloat16(bytes: Uint8Array): Float32Array {
  const table = float16Values();
  const values = new Float32Array(bytes.length / 2);
  for (let i = 0; i < values.length; i++) values[i] = table[bytes[2 * i]! | (bytes[2 * i + 1]! << 8)]!;
  return values;
}

/** A bfloat16 is the upper half of a float32. */
export function decodeBfloat16(bytes: Uint8Array): Float32Array {
  const bits = new Uint32Array(bytes.length / 2);
  for (let i = 0; i < bits.length; i++) bits[i] = (bytes[2 * i]! << 16) | (bytes[2 * i + 1]! << 24);
  return new Float32Array(bits.buffer);
}

function fromFloat16(bits: number): number {
  const sign = bits & 0x8000 ? -1 : 1;
  const exponent = (bits >> 10) & 31;
  const fraction = bits & 1023;
  if (exponent === 0) return sign * fraction * 2 ** -24;
  if (exponent === 31) return fraction === 0 ? sign * Number.POSITIVE_INFINITY : Number.NaN;
  return sign * (1 + fraction / 1024) * 2 ** (exponent - 15);
}
