import { Arguments } from './arguments.ts';
import { formatText, plainSpec } from './format-spec.ts';
import { textFormat } from './text-format.ts';
import { boolean, callable, integer, isList, isText, list, text, tuple, type Value } from './values.ts';

/** Methods of Python's `str` that the library does not have, or has without their arguments. */
export function textMethod(subject: string, name: string): Value | null {
  const method = methods[name];
  if (method) return callable((values) => method(subject, Arguments.of(values).positional));
  return name === 'format' ? callable((values) => text(textFormat(subject, Arguments.of(values)))) : null;
}

type Method = (subject: string, args: readonly Value[]) => Value;

const methods: Record<string, Method | undefined> = {
  strip: (subject, [set]) => text(stripEnd(stripStart(subject, set), set)),
  lstrip: (subject, [set]) => text(stripStart(subject, set)),
  rstrip: (subject, [set]) => text(stripEnd(subject, set)),
  removeprefix: (subject, [prefix]) =>
    text(subject.startsWith(of(prefix)) ? subject.slice(of(prefix).length) : subject),
  removesuffix: (subject, [suffix]) =>
    text(of(suffix) !== '' && subject.endsWith(of(suffix)) ? subject.slice(0, -of(suffix).length) : subject),
  find: (subject, [part]) => integer(codePoints(subject, subject.indexOf(of(part)))),
  rfind: (subject, [part]) => integer(codePoints(subject, subject.lastIndexOf(of(part)))),
  index: (subject, [part]) => integer(found(codePoints(subject, subject.indexOf(of(part))))),
  rindex: (subject, [part]) => integer(found(codePoints(subject, subject.lastIndexOf(of(part))))),
  count: (subject, [part]) =>
    integer(of(part) === '' ? Array.from(subject).length + 1 : subject.split(of(part)).length - 1),
  capitalize: (subject) => text(capitalized(subject)),
  casefold: (subject) => text(subject.toLowerCase().replaceAll('ß', 'ss')),
  swapcase: (subject) =>
    text(subject.replace(/\p{L}/gu, (each) => (each === each.toLowerCase() ? each.toUpperCase() : each.toLowerCase()))),
  title: (subject) => text(subject.replace(/\p{L}+/gu, capitalized)),
  isdigit: (subject) => boolean(/^\p{Nd}+$/u.test(subject)),
  isdecimal: (subject) => boolean(/^\p{Nd}+$/u.test(subject)),
  isnumeric: (subject) => boolean(/^\p{N}+$/u.test(subject)),
  isalpha: (subject) => boolean(/^\p{L}+$/u.test(subject)),
  isalnum: (subject) => boolean(/^[\p{L}\p{N}]+$/u.test(subject)),
  isascii: (subject) => boolean(Array.from(subject).every((each) => each <= '\x7f')),
  isidentifier: (subject) => boolean(/^[\p{XID_Start}_]\p{XID_Continue}*$/u.test(subject)),
  isspace: (subject) => boolean(subject !== '' && stripStart(subject) === ''),
  istitle: (subject) => boolean(/\p{L}/u.test(subject) && subject === subject.replace(/\p{L}+/gu, capitalized)),
  isupper: (subject) => boolean(/\p{Lu}/u.test(subject) && subject === subject.toUpperCase()),
  islower: (subject) => boolean(/\p{Ll}/u.test(subject) && subject === subject.toLowerCase()),
  splitlines: (subject) => list(linesOf(subject).map(text)),
  rsplit: (subject, [separator, max]) => list(splitFromEnd(subject, separator, max).map(text)),
  partition: (subject, [separator]) =>
    tuple(partition(subject, subject.indexOf(of(separator)), of(separator)).map(text)),
  rpartition: (subject, [separator]) => {
    const at = subject.lastIndexOf(of(separator));
    return tuple((at === -1 ? ['', '', subject] : partition(subject, at, of(separator))).map(text));
  },
  join: (subject, [items]) => {
    if (!items || !isList(items) || !items.value.every(isText)) throw new Error('join() takes a list of strings');
    return text(items.value.map((item) => item.value).join(subject));
  },
  center: (subject, args) => text(padded(subject, args, '^')),
  ljust: (subject, args) => text(padded(subject, args, '<')),
  rjust: (subject, args) => text(padded(subject, args, '>')),
  zfill: (subject, [width]) => {
    const [, sign, digits] = /^([+-]?)(.*)$/s.exec(subject)!;
    return text(sign + formatText(digits!, { ...plainSpec, fill: '0', align: '>', width: size(width) - sign!.length }));
  },
  expandtabs: (subject, [width]) => {
    const stop = width ? size(width) : 8;
    return text(
      subject
        .split('\n')
        .map((line) => line.split('\t').reduce((done, part) => done + ' '.repeat(stop - (done.length % stop)) + part))
        .join('\n'),
    );
  },
};

export function capitalized(subject: string): string {
  return subject.charAt(0).toUpperCase() + subject.slice(1).toLowerCase();
}

function of(value: Value | undefined): string {
  if (!value || !isText(value)) throw new Error('a string method takes a string here');
  return value.value;
}

function size(value: Value | undefined): number {
  if (value?.type !== 'IntegerValue') throw new Error('a string method takes an integer here');
  return value.value as number;
}

function found(index: number): number {
  if (index === -1) throw new Error('substring not found');
  return index;
}

function padded(subject: string, [width, fill]: readonly Value[], align: '<' | '>' | '^'): string {
  return formatText(subject, { ...plainSpec, align, width: size(width), fill: fill ? of(fill) : ' ' });
}

function splitFromEnd(subject: string, separator: Value | undefined, max: Value | undefined): string[] {
  const isBySpace = separator === undefined || separator.type === 'NullValue';
  const parts = isBySpace
    ? stripEnd(stripStart(subject)).split(/(\s+)/)
    : subject.split(of(separator)).flatMap((part, at) => (at === 0 ? [part] : [of(separator), part]));
  const splits = (parts.length - 1) / 2;
  const kept = max === undefined || Number(max.value) < 0 ? splits : Math.min(splits, Number(max.value));
  const head = parts.slice(0, parts.length - 2 * kept).join('');
  const tail = parts.slice(parts.length - 2 * kept).filter((_part, at) => at % 2 === 1);
  return isBySpace && subject.trim() === '' ? [] : [head, ...tail];
}

function partition(subject: string, at: number, separator: string): string[] {
  return at === -1 ? [subject, '', ''] : [subject.slice(0, at), separator, subject.slice(at + separator.length)];
}

const rangesOf = (...ranges: (readonly [number, number])[]) => {
  const codes = ranges.flatMap(([from, to]) => Array.from({ length: to - from + 1 }, (_, index) => from + index));
  return new Set(codes.map((code) => String.fromCharCode(code)));
};

/** Python's white space, which includes U+001C to U+001F and U+0085 but not U+FEFF. */
const spaces = rangesOf(
  ...([
    [0x09, 0x0d],
    [0x1c, 0x20],
    [0x85, 0x85],
    [0xa0, 0xa0],
    [0x1680, 0x1680],
    [0x2000, 0x200a],
  ] as const),
  ...([
    [0x2028, 0x2029],
    [0x202f, 0x202f],
    [0x205f, 0x205f],
    [0x3000, 0x3000],
  ] as const),
);
const isSpace = (character: string) => spaces.has(character);

/** Python's line terminators. */
const lineEnds = rangesOf([0x0a, 0x0d], [0x1c, 0x1e], [0x85, 0x85], [0x2028, 0x2029]);

function linesOf(subject: string): string[] {
  const lines: string[] = [];
  let start = 0;
  for (let at = 0; at < subject.length; at++) {
    if (!lineEnds.has(subject[at]!)) continue;
    lines.push(subject.slice(start, at));
    if (subject[at] === '\r' && subject[at + 1] === '\n') at++;
    start = at + 1;
  }
  return start < subject.length ? [...lines, subject.slice(start)] : lines;
}

export function stripStart(subject: string, set?: Value): string {
  const strips = stripper(set);
  let start = 0;
  while (start < subject.length && strips(subject[start]!)) start++;
  return subject.slice(start);
}

export function stripEnd(subject: string, set?: Value): string {
  const strips = stripper(set);
  let end = subject.length;
  while (end > 0 && strips(subject[end - 1]!)) end--;
  return subject.slice(0, end);
}

function stripper(set: Value | undefined): (character: string) => boolean {
  if (!set || set.type === 'NullValue') return isSpace;
  const characters = new Set(of(set));
  return (character) => characters.has(character);
}

function codePoints(subject: string, index: number): number {
  return index < 0 ? -1 : Array.from(subject.slice(0, index)).length;
}
