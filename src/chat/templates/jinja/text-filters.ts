import type { Arguments } from './arguments.ts';
import { formatText, plainSpec } from './format-spec.ts';
import { isSet } from './items.ts';
import { percentFormat } from './percent-format.ts';
import { prettyPrint } from './pretty-print.ts';
import { type DumpOptions, pythonJson, pythonText } from './python-text.ts';
import { capitalized, stripEnd, stripStart } from './text-methods.ts';
import { isList, isMapping, isText, mapping, text, tuple, type Value } from './values.ts';

type Filter = (operand: Value, args: Arguments) => Value;

/** A filter of a value's text, which is what `str(value)` returns in Python. */
const ofText =
  (change: (subject: string, args: Arguments) => string): Filter =>
  (operand, args) =>
    text(change(pythonText(operand), args));

export const textFilters: Readonly<Record<string, Filter>> = {
  string: ofText((subject) => subject),
  safe: ofText((subject) => subject),
  upper: ofText((subject) => subject.toUpperCase()),
  lower: ofText((subject) => subject.toLowerCase()),
  capitalize: ofText(capitalized),
  // Unlike in `str.title`, an apostrophe does not start a word.
  title: ofText((subject) =>
    subject
      .split(/([-\s({[<]+)/)
      .map((part) => part.charAt(0).toUpperCase() + part.slice(1).toLowerCase())
      .join(''),
  ),
  trim: ofText((subject, args) => stripEnd(stripStart(subject, args.get(0, 'chars')), args.get(0, 'chars'))),
  replace: ofText((subject, args) => {
    const count = args.get(2, 'count');
    return replaced(subject, wanted(args, 0, 'old'), wanted(args, 1, 'new'), isSet(count) ? Number(count.value) : -1);
  }),
  e: ofText(escaped),
  escape: ofText(escaped),
  forceescape: ofText(escaped),
  striptags: ofText((subject) =>
    unescaped(subject.replace(/<!--.*?-->|<[^>]*>/gs, ''))
      .split(/\s+/)
      .filter(Boolean)
      .join(' '),
  ),
  format: (operand, args) => {
    const values = args.named.size > 0 ? mapping(args.named) : tuple([...args.positional]);
    return text(percentFormat(pythonText(operand), values));
  },
  pprint: (operand) => text(prettyPrint(operand)),
  tojson: (operand, args) => text(pythonJson(operand, dumpOptions(args))),
  center: ofText((subject, args) =>
    formatText(subject, { ...plainSpec, align: '^', width: Number(args.get(0, 'width')?.value ?? 80) }),
  ),
  indent: ofText(indented),
  wordcount: ofText((subject) => String(subject.match(/[\p{L}\p{N}_]+/gu)?.length ?? 0)),
  truncate: ofText(truncated),
  wordwrap: ofText((subject, args) => {
    const width = Number(args.get(0, 'width')?.value ?? 79);
    return subject
      .split(/\r?\n/)
      .map((line) => wrapped(line, width))
      .join('\n');
  }),
  urlencode: (operand) => {
    const entries = isMapping(operand)
      ? [...operand.value].map(([key, value]) => [text(key), value])
      : isList(operand)
        ? operand.value.map((pair) => pair.value as Value[])
        : null;
    if (entries === null) return text(quoted(pythonText(operand)));
    const query = (value: Value) => quoted(pythonText(value)).replaceAll('/', '%2F').replaceAll('%20', '+');
    return text(entries.map(([key, value]) => `${query(key!)}=${query(value!)}`).join('&'));
  },
};

/** Like `str.replace`: an empty `old` matches between all characters. */
function replaced(subject: string, old: string, by: string, count = -1): string {
  const parts = old === '' ? ['', ...Array.from(subject), ''] : subject.split(old);
  const limit = count < 0 ? parts.length - 1 : Math.min(count, parts.length - 1);
  return (
    parts.slice(0, limit + 1).join(by) +
    parts
      .slice(limit + 1)
      .map((part) => old + part)
      .join('')
  );
}

function escaped(subject: string): string {
  const entities: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&#34;', "'": '&#39;' };
  return subject.replace(/[&<>"']/g, (character) => entities[character]!);
}

function unescaped(subject: string): string {
  const characters: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', '#34': '"', '#39': "'" };
  return subject.replace(/&(amp|lt|gt|quot|#34|#39);/g, (_whole, name: string) => characters[name]!);
}

function indented(subject: string, args: Arguments): string {
  const width = args.get(0, 'width');
  const prefix = width && isText(width) ? width.value : ' '.repeat(Number(width?.value ?? 4));
  const isIndented = (position: number, name: string) => Boolean(args.get(position, name)?.value);
  const [first, ...others] = `${subject}\n`.split('\n').slice(0, -1);
  const rest = others.map((line) => (line !== '' || isIndented(2, 'blank') ? prefix + line : line));
  return (isIndented(1, 'first') ? prefix : '') + [first, ...rest].join('\n');
}

function truncated(subject: string, args: Arguments): string {
  const length = Number(args.get(0, 'length')?.value ?? 255);
  const end = args.get(2, 'end');
  const suffix = end ? pythonText(end) : '...';
  const leeway = Number(args.get(3, 'leeway')?.value ?? 5);
  const characters = Array.from(subject);
  if (characters.length <= length + leeway) return subject;
  const kept = characters.slice(0, length - Array.from(suffix).length).join('');
  if (args.get(1, 'killwords')?.value === true) return kept + suffix;
  return (kept.includes(' ') ? kept.slice(0, kept.lastIndexOf(' ')) : kept) + suffix;
}

function wrapped(line: string, width: number): string {
  const lines: string[] = [''];
  for (const word of line.split(' ')) {
    const last = lines.at(-1)!;
    if (last === '') lines[lines.length - 1] = word;
    else if (last.length + 1 + word.length <= width) lines[lines.length - 1] = `${last} ${word}`;
    else lines.push(word);
  }
  return lines.flatMap((text) => text.match(new RegExp(`.{1,${width}}`, 'gu')) ?? ['']).join('\n');
}

function quoted(subject: string): string {
  return encodeURIComponent(subject)
    .replaceAll('%2F', '/')
    .replace(/[!'()*]/g, (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`);
}

function wanted(args: Arguments, position: number, name: string): string {
  const value = args.get(position, name);
  if (!value) throw new Error(`The argument '${name}' is missing`);
  return pythonText(value);
}

function dumpOptions(args: Arguments): DumpOptions {
  const separators = args.named.get('separators');
  const indent = args.get(1, 'indent')?.value;
  return {
    ensureAscii: args.get(0, 'ensure_ascii')?.value === true,
    indent: typeof indent === 'number' ? indent : null,
    separators:
      separators && isList(separators)
        ? ([pythonText(separators.value[0]!), pythonText(separators.value[1]!)] as const)
        : null,
    sortKeys: args.named.get('sort_keys')?.value === true,
  };
}
