import { pythonRepr } from '../../../util/python-repr.ts';
import { reprOf } from './python-text.ts';
import { isList, isMapping, type Value } from './values.ts';

const widthMax = 80;

/**
 * Python's `pprint.pformat`, which sorts the keys of dicts and breaks lines at 80 characters; long strings are not
 * split.
 */
export function prettyPrint(value: Value): string {
  return lines(value, 0, 0);
}

function lines(value: Value, indent: number, allowance: number): string {
  const line = oneLine(value);
  if (line.length <= widthMax - indent - allowance) return line;
  const inner = indent + 1;
  const joined = (parts: string[]) => parts.join(`,\n${' '.repeat(inner)}`);
  if (isMapping(value)) {
    const entries = sorted(value.value);
    return `{${joined(
      entries.map(([key, item], index) => {
        const shown = `${pythonRepr(key)}: `;
        return shown + lines(item, inner + shown.length, index === entries.length - 1 ? allowance + 1 : 1);
      }),
    )}}`;
  }
  if (!isList(value)) return line;
  const items = value.value;
  const [open, close] = value.type === 'TupleValue' ? ['(', items.length === 1 ? ',)' : ')'] : ['[', ']'];
  const last = allowance + close.length;
  return open + joined(items.map((item, index) => lines(item, inner, index === items.length - 1 ? last : 1))) + close;
}

function oneLine(value: Value): string {
  if (isMapping(value)) {
    return `{${sorted(value.value)
      .map(([key, item]) => `${pythonRepr(key)}: ${oneLine(item)}`)
      .join(', ')}}`;
  }
  if (!isList(value)) return reprOf(value);
  const items = value.value.map(oneLine);
  if (value.type !== 'TupleValue') return `[${items.join(', ')}]`;
  return items.length === 1 ? `(${items[0]},)` : `(${items.join(', ')})`;
}

function sorted(entries: ReadonlyMap<string, Value>): [string, Value][] {
  return [...entries].sort(([a], [b]) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
}
