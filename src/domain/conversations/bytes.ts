import { JsonNumber, type LosslessJson } from '../../util/json/lossless.ts';

/**
 * Bytes as base64, in the forms in which libraries write them into JSON: base64 of both alphabets, what Python prints of
 * `bytes`, Node's `Buffer`, and typed arrays as lists or as objects with an index for each byte. Null for everything else.
 */
export function base64Of(value: LosslessJson | undefined): string | null {
  if (typeof value === 'string') return base64OfText(value);
  const bytes = bytesOf(value);
  return bytes === null ? null : Buffer.from(bytes).toString('base64');
}

/** The bytes of a list of numbers, however it is written. */
export function bytesOf(value: LosslessJson | undefined): number[] | null {
  if (Array.isArray(value)) return bytesIn(value);
  if (!(value instanceof Map)) return null;
  const data = value.get('data');
  if (typeof value.get('type') === 'string' && data !== undefined) return bytesOf(data);
  return value.get('0') instanceof JsonNumber && isIndexed(value) ? bytesIn([...value.values()]) : null;
}

function bytesIn(values: LosslessJson[]): number[] | null {
  const bytes: number[] = [];
  for (const value of values) {
    const byte = value instanceof JsonNumber ? Number(value.text) : Number.NaN;
    if (!(Number.isInteger(byte) && byte >= 0 && byte <= 255)) return null;
    bytes.push(byte);
  }
  return bytes.length === 0 ? null : bytes;
}

function isIndexed(object: ReadonlyMap<string, LosslessJson>): boolean {
  let index = 0;
  for (const key of object.keys()) if (key !== String(index++)) return false;
  return true;
}

function base64OfText(text: string): string | null {
  if (/^b(['"])[\s\S]*\1$/.test(text)) return Buffer.from(pythonBytes(text.slice(2, -1)), 'latin1').toString('base64');
  if (text === '' || !/^[\w+/-]+={0,2}\s*$/.test(text)) return null;
  return text.trimEnd().replaceAll('-', '+').replaceAll('_', '/');
}

const escapes: Record<string, string> = { n: '\n', r: '\r', t: '\t', '\\': '\\', "'": "'", '"': '"' };

/** What Python prints of bytes: `\x89PNG\r\n`. */
function pythonBytes(text: string): string {
  return text.replaceAll(
    /\\(?:x([0-9a-f]{2})|([\s\S]))/gi,
    (whole, hex: string | undefined, letter: string | undefined) =>
      hex === undefined ? (escapes[letter!] ?? whole) : String.fromCharCode(Number.parseInt(hex, 16)),
  );
}
