import { boolean, callable, integer, isList, isText, list, text, type Value } from './values.ts';

/** Methods of Python's `str` that the library has not, or has without their arguments. */
export function textMethod(subject: string, name: string): Value | null {
  const method = methods[name];
  return method
    ? callable((args) =>
        method(
          subject,
          args.filter((arg) => arg.type !== 'KeywordArgumentsValue'),
        ),
      )
    : null;
}

type Method = (subject: string, args: Value[]) => Value;

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
  count: (subject, [part]) =>
    integer(of(part) === '' ? Array.from(subject).length + 1 : subject.split(of(part)).length - 1),
  capitalize: (subject) => text(subject.charAt(0).toUpperCase() + subject.slice(1).toLowerCase()),
  isdigit: (subject) => boolean(/^\p{Nd}+$/u.test(subject)),
  isalpha: (subject) => boolean(/^\p{L}+$/u.test(subject)),
  isalnum: (subject) => boolean(/^[\p{L}\p{N}]+$/u.test(subject)),
  isspace: (subject) => boolean(subject !== '' && stripStart(subject) === ''),
  isupper: (subject) => boolean(/\p{Lu}/u.test(subject) && subject === subject.toUpperCase()),
  islower: (subject) => boolean(/\p{Ll}/u.test(subject) && subject === subject.toLowerCase()),
  splitlines: (subject) => list(linesOf(subject).map(text)),
  join: (subject, [items]) => {
    if (!items || !isList(items) || !items.value.every(isText)) throw new Error('join() takes a list of strings');
    return text(items.value.map((item) => item.value).join(subject));
  },
  zfill: (subject, [width]) => text(subject.padStart(width?.value as number, '0')),
};

function of(value: Value | undefined): string {
  if (!value || !isText(value)) throw new Error('a string method takes a string here');
  return value.value;
}

const rangesOf = (...ranges: (readonly [number, number])[]) => {
  const codes = ranges.flatMap(([from, to]) => Array.from({ length: to - from + 1 }, (_, index) => from + index));
  return new Set(codes.map((code) => String.fromCharCode(code)));
};

/** Python's white space, which has U+001C to U+001F and U+0085 and not U+FEFF. */
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

/** What ends a line for Python. */
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
