/**
 * The alphabet of byte-level tokenizers: each byte is written as one printable character. Printable Latin-1 characters
 * represent themselves, the other bytes are the characters from U+0100 on, in order.
 */
const isItself = (byte: number) =>
  (byte >= 0x21 && byte <= 0x7e) || (byte >= 0xa1 && byte <= 0xac) || (byte >= 0xae && byte <= 0xff);

const byteOfCharacter = new Map<number, number>();
let next = 0x100;
for (let byte = 0; byte < 256; byte++) byteOfCharacter.set(isItself(byte) ? byte : next++, byte);

/** The bytes of a token in a byte-level vocabulary; null if it has a character outside the alphabet. */
export function bytesOfByteLevel(token: string): Uint8Array | null {
  const bytes = new Uint8Array(token.length);
  for (let index = 0; index < token.length; index++) {
    const byte = byteOfCharacter.get(token.charCodeAt(index));
    if (byte === undefined) return null;
    bytes[index] = byte;
  }
  return bytes;
}
