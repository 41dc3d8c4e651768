import { complement, type Range, utf8Sequences } from './utf8-classes.ts';

export type CharacterClass = { isNegated: boolean; ranges: Range[]; end: number };

/** Reads a class that starts at `start`. Regular expressions and EBNF have the same syntax for classes. */
export function readClass(text: string, start: number): CharacterClass {
  let at = start + 1;
  const isNegated = text[at] === '^';
  if (isNegated) at++;
  const ranges: Range[] = [];
  while (at < text.length && text[at] !== ']') {
    const low = readMember(text, at);
    at = low.end;
    if (
      low.ranges.length === 1 &&
      isSingle(low.ranges[0]!) &&
      text[at] === '-' &&
      text[at + 1] !== ']' &&
      at + 1 < text.length
    ) {
      const high = readMember(text, at + 1);
      const from = low.ranges[0]![0];
      const to = high.ranges[0]?.[0];
      if (high.ranges.length !== 1 || !isSingle(high.ranges[0]!) || to! < from) {
        throw new Error(`the range ${text.slice(start, high.end)} is out of order`);
      }
      ranges.push([from, to!]);
      at = high.end;
    } else {
      ranges.push(...low.ranges);
    }
  }
  if (text[at] !== ']') throw new Error('a character class is not closed');
  if (ranges.length === 0) throw new Error('a character class is empty');
  return { isNegated, ranges, end: at + 1 };
}

/** `\d`, `\w`, `\s` and their opposites, as in ECMAScript: ASCII, and Unicode for white space. */
export const shorthands: Record<string, Range[] | undefined> = withOpposites({
  d: [[0x30, 0x39]],
  w: [
    [0x30, 0x39],
    [0x41, 0x5a],
    [0x5f, 0x5f],
    [0x61, 0x7a],
  ],
  s: [
    [0x09, 0x0d],
    [0x20, 0x20],
    [0xa0, 0xa0],
    [0x1680, 0x1680],
    [0x2000, 0x200a],
    [0x2028, 0x2029],
    [0x202f, 0x202f],
    [0x205f, 0x205f],
    [0x3000, 0x3000],
    [0xfeff, 0xfeff],
  ],
});

/** Reads the code point of an escape at `at` (its backslash); null if it is not a single character. */
export function readEscape(text: string, at: number): { codePoint: number; end: number } | null {
  const hex = /^\\(?:x([0-9a-fA-F]{2})|u\{([0-9a-fA-F]{1,6})\}|u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8}))/.exec(
    text.slice(at, at + 12),
  );
  if (hex) return { codePoint: Number.parseInt((hex[1] ?? hex[2] ?? hex[3] ?? hex[4])!, 16), end: at + hex[0].length };
  const next = text.codePointAt(at + 1);
  if (next === undefined) throw new Error('it ends with a backslash');
  const character = String.fromCodePoint(next);
  const end = at + 1 + character.length;
  const control = controls[character];
  if (control !== undefined) return { codePoint: control, end };
  return /[a-zA-Z1-9]/.test(character) ? null : { codePoint: next, end };
}

/**
 * The class in a form that the grammar library handles correctly: unchanged if ASCII, otherwise alternatives of bytes.
 */
export function writeClass({ isNegated, ranges }: Omit<CharacterClass, 'end'>, separator: '' | ' '): string {
  if (ranges.every(([, to]) => to < 0x80)) return `[${isNegated ? '^' : ''}${ranges.map(writeRange).join('')}]`;
  const sequences = utf8Sequences(isNegated ? complement(ranges) : ranges);
  const ascii = sequences.filter((sequence) => sequence.length === 1).map(([range]) => range!);
  const alternatives = sequences
    .filter((sequence) => sequence.length > 1)
    .map((sequence) => sequence.map(byteClass).join(separator));
  if (ascii.length > 0) alternatives.unshift(`[${ascii.map(writeRange).join('')}]`);
  return separator === '' ? `(?:${alternatives.join('|')})` : `(${alternatives.join(' | ')})`;
}

const controls: Record<string, number | undefined> = { n: 10, r: 13, t: 9, f: 12, v: 11, '0': 0 };

function readMember(text: string, at: number): { ranges: Range[]; end: number } {
  if (text[at] !== '\\') {
    const codePoint = text.codePointAt(at)!;
    return { ranges: [[codePoint, codePoint]], end: at + (codePoint > 0xffff ? 2 : 1) };
  }
  const shorthand = shorthands[text[at + 1] ?? ''];
  if (shorthand) return { ranges: shorthand, end: at + 2 };
  if (text[at + 1] === 'b') return { ranges: [[8, 8]], end: at + 2 };
  const escaped = readEscape(text, at);
  if (!escaped) throw new Error(`\\${text[at + 1]} is not supported in a character class`);
  return { ranges: [[escaped.codePoint, escaped.codePoint]], end: escaped.end };
}

/** A class of one non-ASCII byte would be read as the character with that number, unless it names the byte twice. */
function byteClass([from, to]: Range): string {
  const range = writeRange([from, to]);
  return from === to && from >= 0x80 ? `[${range}${range}]` : `[${range}]`;
}

function writeRange([from, to]: Range): string {
  const hex = (byte: number) => `\\x${byte.toString(16).padStart(2, '0')}`;
  return from === to ? hex(from) : `${hex(from)}-${hex(to)}`;
}

function isSingle([from, to]: Range): boolean {
  return from === to;
}

function withOpposites(sets: Record<string, Range[]>): Record<string, Range[]> {
  const opposites = Object.entries(sets).map(([name, ranges]) => [name.toUpperCase(), complement(ranges)] as const);
  return { ...sets, ...Object.fromEntries(opposites) };
}
