import { Code, isSpace } from './scanner.ts';
import { closingQuote } from './strings.ts';

/**
 * JSON without white space between its tokens, and with null for `NaN` and infinities. The text must be known to be
 * JSON otherwise. Copies unit by unit: in lists of small numbers every other character goes, too many for slices.
 */
export function minify(text: string): string {
  const units = hasWideUnits.test(text) ? new Uint16Array(lengthMax(text)) : new Uint8Array(lengthMax(text));
  let length = 0;
  for (let i = 0; i < text.length; ) {
    const code = text.charCodeAt(i);
    if (code === Code.quote) {
      const end = closingQuote(text, i) + 1;
      while (i < end) units[length++] = text.charCodeAt(i++);
    } else if (isSpace(code)) {
      i++;
    } else if (code === startOfNaN || code === startOfInfinity) {
      if (units[length - 1] === minus) length--;
      units.set(nullUnits, length);
      length += nullUnits.length;
      i += code === startOfNaN ? 'NaN'.length : 'Infinity'.length;
    } else {
      units[length++] = code;
      i++;
    }
  }
  return toText(units, length);
}

const hasWideUnits = /[^\0-\xff]/;
const [startOfNaN, startOfInfinity, minus] = Buffer.from('NI-');
const nullUnits = Buffer.from('null');

/** `NaN` grows to `null`. */
function lengthMax(text: string): number {
  return Math.ceil((text.length * 4) / 3);
}

function toText(units: Uint8Array | Uint16Array, length: number): string {
  const bytes = Buffer.from(units.buffer, 0, length * units.BYTES_PER_ELEMENT);
  return bytes.toString(units.BYTES_PER_ELEMENT === 1 ? 'latin1' : 'utf16le');
}
