/**
 * The random numbers of a sequence: Philox 4x32 with ten rounds over the seed and the index of the token. There is no state
 * between tokens, so they depend neither on the batch nor on a restart of the sequence.
 */
export function uniformAt(seed: bigint, index: number): number {
  const [a, b] = philox([index >>> 0, Math.floor(index / 2 ** 32) >>> 0, 0, 0], keyOf(seed));
  return ((a! >>> 5) * 2 ** 26 + (b! >>> 6)) / 2 ** 53;
}

/** Whether a request has a seed: −1 means none. */
export function givesSeed<Request extends { seed?: bigint | null }>(
  request: Request,
): request is Request & { seed: bigint } {
  return request.seed !== null && request.seed !== undefined && request.seed !== -1n;
}

/** The seed of a request, or a random one for none and −1. */
export function seedOfRequest(seed: bigint | null | undefined, fresh: () => bigint): bigint {
  return seed === null || seed === undefined || seed === -1n ? fresh() : BigInt.asIntN(64, seed);
}

/** The seed of a choice by its index, in 64 bits. */
export function seedOfChoice(seed: bigint, choice: number): bigint {
  return BigInt.asIntN(64, seed + BigInt(choice));
}

type Key = [number, number];

function keyOf(seed: bigint): Key {
  const bits = BigInt.asUintN(64, seed);
  return [Number(bits & 0xffffffffn), Number(bits >> 32n)];
}

/** Exported for the published test vectors. */
export function philox(counter: readonly number[], [key0, key1]: Key): number[] {
  let [c0, c1, c2, c3] = counter as [number, number, number, number];
  for (let round = 0; round < 10; round++) {
    const high0 = multiplyHigh(0xd2511f53, c0);
    const low0 = Math.imul(0xd2511f53, c0) >>> 0;
    const high1 = multiplyHigh(0xcd9e8d57, c2);
    const low1 = Math.imul(0xcd9e8d57, c2) >>> 0;
    [c0, c1, c2, c3] = [(high1 ^ c1 ^ key0) >>> 0, low1, (high0 ^ c3 ^ key1) >>> 0, low0];
    key0 = (key0 + 0x9e3779b9) >>> 0;
    key1 = (key1 + 0xbb67ae85) >>> 0;
  }
  return [c0, c1, c2, c3];
}

/** The upper 32 bits of the product of two 32-bit numbers. */
function multiplyHigh(a: number, b: number): number {
  const aHigh = a >>> 16;
  const aLow = a & 0xffff;
  const bHigh = b >>> 16;
  const bLow = b & 0xffff;
  const middle = aHigh * bLow + ((aLow * bLow) >>> 16);
  const carry = aLow * bHigh + (middle % 0x10000);
  return (aHigh * bHigh + Math.floor(middle / 0x10000) + Math.floor(carry / 0x10000)) >>> 0;
}
