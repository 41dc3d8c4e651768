import { crc32 } from 'node:zlib';

/**
 * Answers whether a string has been added with "no" or "maybe": a Bloom filter that grows. About 2.5 bytes per string
 * and one false "maybe" in several thousand, up to about ten million strings.
 */
export class KnownIds {
  readonly #blocks: Uint32Array[] = [];
  #inLastBlock = blockTexts;

  add(hash: number): void {
    if (this.#inLastBlock >= blockTexts) {
      this.#blocks.push(new Uint32Array(blockBits / 32));
      this.#inLastBlock = 0;
    }
    this.#inLastBlock++;
    const block = this.#blocks.at(-1)!;
    for (const bit of bitsOf(hash)) block[bit >>> 5]! |= 1 << (bit & 31);
  }

  mayHave(hash: number): boolean {
    const bits = bitsOf(hash);
    return this.#blocks.some((block) => bits.every((bit) => (block[bit >>> 5]! & (1 << (bit & 31))) !== 0));
  }
}

/** The hash of a string. ClickHouse computes the same one: `CRC32(text)`. */
export function idHash(text: string): number {
  return crc32(text);
}

const blockTexts = 1 << 18;
const blockBits = 1 << 22;

function bitsOf(hash: number): number[] {
  const second = mix(hash ^ 0x9e3779b9) | 1;
  let bit = mix(hash);
  return Array.from({ length: 6 }, () => {
    bit = (bit + second) >>> 0;
    return bit & (blockBits - 1);
  });
}

/** The finaliser of MurmurHash3: spreads each bit of the input over all of the output. */
function mix(value: number): number {
  let mixed = value >>> 0;
  mixed = Math.imul(mixed ^ (mixed >>> 16), 0x85ebca6b);
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35);
  return (mixed ^ (mixed >>> 16)) >>> 0;
}
