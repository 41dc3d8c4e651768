/** Bytes in a PostgreSQL page. */
export const pageSize = 8192;

/** The position of the checksum: the lower half of this word. */
const checksumWord = 2;
const lanes = 32;
const prime = 16_777_619;

/**
 * The checksum of a page, as PostgreSQL computes it (src/include/storage/checksum_impl.h): over the page with a zero
 * checksum.
 */
export function pageChecksum(page: Buffer, number: number): number {
  const words = new Int32Array(page.buffer, page.byteOffset, pageSize / 4);
  const sums = Int32Array.from(startOfLanes);
  for (let row = 0; row < words.length; row += lanes) {
    for (let lane = 0; lane < lanes; lane++) {
      const word = words[row + lane]!;
      sums[lane] = mix(sums[lane]!, row + lane === checksumWord ? word & ~0xffff : word);
    }
  }
  let sum = 0;
  for (let lane = 0; lane < lanes; lane++) sum ^= mix(mix(sums[lane]!, 0), 0);
  return (((sum ^ number) >>> 0) % 65_535) + 1;
}

/** A round of the hash FNV-1a, with a shift that spreads the upper bits. */
function mix(sum: number, value: number): number {
  const mixed = sum ^ value;
  return Math.imul(mixed, prime) ^ (mixed >>> 17);
}

const startOfLanes = [
  0x5b1f36e9, 0xb8525960, 0x02ab50aa, 0x1de66d2a, 0x79ff467a, 0x9bb9f8a3, 0x217e7cd2, 0x83e13d2c, 0xf8d4474f,
  0xe39eb970, 0x42c6ae16, 0x993216fa, 0x7b093b5d, 0x98daff3c, 0xf718902a, 0x0b1c9cdb, 0xe58f764b, 0x187636bc,
  0x5d7b3bb1, 0xe73de7de, 0x92bec979, 0xcca6c0b2, 0x304a0979, 0x85aa43d4, 0x783125bb, 0x6ca8eaa2, 0xe407eac6,
  0x4b5cfc3e, 0x9fbf8c76, 0x15ca20be, 0xf2ca9fd3, 0x959bd756,
];
