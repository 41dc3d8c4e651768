import { isUtf8 } from 'node:buffer';
import { Failure } from './failures.ts';

/** Bytes that were expected to be text in UTF-8, and are not. */
export class NotTextError extends Failure {
  constructor(message: string) {
    super('invalidInput', message);
  }
}

/**
 * Decodes text in UTF-8 as it arrives, without the byte order mark that it may begin with.
 * @param name what is read, for the message of an error
 * @throws NotTextError with the offset of the first byte that is not part of a character
 */
export async function* utf8Text(bytes: AsyncIterable<Uint8Array>, name: string): AsyncGenerator<string> {
  let offset = 0;
  let open: Buffer = Buffer.alloc(0); // bytes that are not decoded yet: the beginning of a character, or of the text
  for await (const piece of bytes) {
    const all = open.length === 0 ? asBuffer(piece) : Buffer.concat([open, piece]);
    const whole = all.subarray(0, offset === 0 && all.length < headBytes ? 0 : all.length - openBytes(all));
    yield decoded(whole);
    open = all.subarray(whole.length);
  }
  yield decoded(open);

  function decoded(part: Buffer): string {
    if (offset === 0) refuseOtherFormats(part, name);
    if (!isUtf8(part)) throw notUtf8(name, part, firstInvalid(part), offset);
    const start = offset === 0 && part.subarray(0, 3).equals(byteOrderMark) ? 3 : 0;
    offset += part.length;
    return part.toString('utf8', start);
  }
}

/** Enough to recognize other formats. */
const headBytes = 8;

const byteOrderMark = Buffer.from([0xef, 0xbb, 0xbf]);

function asBuffer(bytes: Uint8Array): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
}

/** How many bytes at the end begin a character that is not complete. */
function openBytes(bytes: Buffer): number {
  for (let back = 1; back <= Math.min(3, bytes.length); back++) {
    const byte = bytes.at(-back)!;
    if (byte < 0x80) return 0;
    if (byte >= 0xc0) return characterLength(byte) > back ? back : 0;
  }
  return 0;
}

function firstInvalid(bytes: Buffer): number {
  for (let at = 0; ; ) {
    const length = characterLength(bytes[at]!);
    if (at >= bytes.length || !isUtf8(bytes.subarray(at, at + length))) return at;
    at += length;
  }
}

/** By the first byte of a character; 2 for bytes that begin none, which is then found to be invalid. */
function characterLength(byte: number): number {
  if (byte < 0x80) return 1;
  if (byte < 0xe0) return 2;
  return byte < 0xf0 ? 3 : 4;
}

function notUtf8(name: string, bytes: Buffer, at: number, offset: number): NotTextError {
  const byte = bytes[at]!.toString(16).toUpperCase().padStart(2, '0');
  return new NotTextError(`${name} is not UTF-8: the byte at offset ${offset + at} is 0x${byte}. Save it as UTF-8.`);
}

/** @throws NotTextError for the beginning of a file in another encoding or format */
function refuseOtherFormats(bytes: Buffer, name: string): void {
  const encoding = otherEncoding(bytes);
  if (encoding !== null) {
    throw new NotTextError(`${name} is not UTF-8: from offset 0 it looks like ${encoding}. Save it as UTF-8.`);
  }
  const format = formats.find(({ start }) => bytes.subarray(0, start.length).equals(start));
  if (format) throw new NotTextError(`${name} is not text: it is ${format.name}. ${format.advice}`);
}

/** An encoding that begins with its byte order mark, or with the zero bytes that it adds to ASCII characters. */
function otherEncoding(bytes: Buffer): string | null {
  const [a, b, c, d] = bytes;
  if ((a === 0xff && b === 0xfe && c === 0 && d === 0) || (a === 0 && b === 0 && c === 0xfe && d === 0xff))
    return 'UTF-32';
  if ((a === 0xff && b === 0xfe) || (a === 0xfe && b === 0xff)) return 'UTF-16';
  if ((a && b === 0 && c && d === 0) || (a === 0 && b && c === 0 && d)) return 'UTF-16';
  return null;
}

const unpack = 'Unpack it first.';
const convert = 'Convert it to JSON Lines.';

const formats = [
  { start: Buffer.from([0x1f, 0x8b]), name: 'compressed with gzip', advice: unpack },
  { start: Buffer.from([0x28, 0xb5, 0x2f, 0xfd]), name: 'compressed with Zstandard', advice: unpack },
  { start: Buffer.from([0xfd, 0x37, 0x7a, 0x58, 0x5a, 0x00]), name: 'compressed with xz', advice: unpack },
  { start: Buffer.from('BZh'), name: 'compressed with bzip2', advice: unpack },
  {
    start: Buffer.from('PK\x03\x04'),
    name: 'a ZIP archive, as .xlsx files are',
    advice: 'Unpack it, or save it as JSON Lines.',
  },
  { start: Buffer.from('PAR1'), name: 'a Parquet file', advice: convert },
  { start: Buffer.from('ARROW1'), name: 'an Arrow file', advice: convert },
];
