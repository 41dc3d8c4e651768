import { pythonRepr } from '../../../util/python-repr.ts';
import { isList, isMapping, isText, numberText, type Value } from './values.ts';

/** What `{{ value }}` writes: Python's `str`. */
export function pythonText(value: Value): string {
  if (isText(value)) return value.value;
  if (value.type === 'UndefinedValue') return '';
  return reprOf(value);
}

/** Python's `repr` of a value. */
export function reprOf(value: Value): string {
  switch (value.type) {
    case 'StringValue':
      return pythonRepr(value.value as string);
    case 'NullValue':
      return 'None';
    case 'BooleanValue':
      return value.value ? 'True' : 'False';
    case 'IntegerValue':
    case 'FloatValue':
      return numberText(value);
    case 'UndefinedValue':
      return 'Undefined';
  }
  if (isMapping(value))
    return `{${[...value.value].map(([key, item]) => `${pythonRepr(key)}: ${reprOf(item)}`).join(', ')}}`;
  if (!isList(value)) return value.toString();
  const items = value.value.map(reprOf);
  if (value.type !== 'TupleValue') return `[${items.join(', ')}]`;
  return items.length === 1 ? `(${items[0]},)` : `(${items.join(', ')})`;
}

export type DumpOptions = {
  indent?: number | null;
  separators?: readonly [item: string, key: string] | null;
  sortKeys?: boolean;
  ensureAscii?: boolean;
};

/** Python's `json.dumps` as chat templates use it: non-ASCII characters are not escaped by default. */
export function pythonJson(value: Value, options: DumpOptions = {}): string {
  const { indent = null } = options;
  const [item, key] = options.separators ?? [indent === null ? ', ' : ',', ': '];
  const quoted = (text: string) => (options.ensureAscii ? ascii(JSON.stringify(text)) : JSON.stringify(text));
  const dump = (inner: Value, depth: number): string => {
    const wrap = (open: string, parts: string[], close: string) => {
      if (parts.length === 0) return open + close;
      if (indent === null) return open + parts.join(item) + close;
      const padding = `\n${' '.repeat(indent * (depth + 1))}`;
      return `${open}${padding}${parts.join(item + padding)}\n${' '.repeat(indent * depth)}${close}`;
    };
    if (isText(inner)) return quoted(inner.value);
    if (inner.type === 'NullValue') return 'null';
    if (inner.type === 'BooleanValue') return String(inner.value);
    if (inner.type === 'IntegerValue' || inner.type === 'FloatValue') return numberText(inner);
    if (isList(inner))
      return wrap(
        '[',
        inner.value.map((part) => dump(part, depth + 1)),
        ']',
      );
    if (isMapping(inner)) {
      const entries = [...inner.value];
      if (options.sortKeys) entries.sort(([a], [b]) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
      return wrap(
        '{',
        entries.map(([name, part]) => quoted(name) + key + dump(part, depth + 1)),
        '}',
      );
    }
    throw new Error(
      `${inner.type === 'UndefinedValue' ? 'An undefined value' : 'This value'} cannot be written as JSON.`,
    );
  };
  return dump(value, 0);
}

function ascii(json: string): string {
  return json.replace(/[^ -~]/g, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`);
}
