import type { ByteCoding } from '../../engine/grammars/grammar-requests.ts';
import { bytesOfByteLevel } from './byte-level.ts';
import { stepsOf, type TokenizerJson } from './tokenizer-json.ts';

export function byteCodingOf({ decoder }: TokenizerJson): ByteCoding {
  const types = stepsOf(decoder).map((step) => step.type);
  if (types.includes('ByteLevel')) return 'byte_level';
  if (types.includes('ByteFallback') || types.includes('Metaspace')) return 'byte_fallback';
  const found = types.length === 0 ? 'no decoder' : `the decoder ${types.join(', ')}`;
  throw new Error(`This tokenizer has ${found}. heddle reads ByteLevel, ByteFallback and Metaspace decoders.`);
}

/** The exact bytes of every token of a vocabulary, kept in one block: 150,000 tokens are about a megabyte. */
export class TokenBytes {
  readonly #bytes: Uint8Array;
  readonly #starts: Uint32Array;

  constructor(tokens: readonly (string | undefined)[], added: ReadonlySet<number>, coding: ByteCoding) {
    const all = tokens.map((token, id) => bytesOfToken(token ?? '', added.has(id), coding));
    this.#starts = new Uint32Array(all.length + 1);
    for (const [id, bytes] of all.entries()) this.#starts[id + 1] = this.#starts[id]! + bytes.length;
    this.#bytes = new Uint8Array(this.#starts[all.length]!);
    for (const [id, bytes] of all.entries()) this.#bytes.set(bytes, this.#starts[id]);
  }

  /** A view, not a copy. Ids outside the vocabulary have no bytes. */
  of(id: number): Uint8Array {
    return this.#bytes.subarray(this.#starts[id] ?? 0, this.#starts[id + 1] ?? 0);
  }
}

const encoder = new TextEncoder();
const bytePattern = /^<0x([0-9A-F]{2})>$/;

function bytesOfToken(token: string, isAdded: boolean, coding: ByteCoding): Uint8Array {
  if (coding === 'byte_level') return bytesOfByteLevel(token) ?? encoder.encode(token);
  if (isAdded) return encoder.encode(token);
  const byte = bytePattern.exec(token);
  return byte ? Uint8Array.of(Number.parseInt(byte[1]!, 16)) : encoder.encode(token.replaceAll('▁', ' '));
}
