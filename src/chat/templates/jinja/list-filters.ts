import type { Arguments } from './arguments.ts';
import { compare } from './compare.ts';
import { isNumber } from './format-spec.ts';
import { attributeOf, itemsOf, missing, truthy } from './items.ts';
import { pythonText } from './python-text.ts';
import { test } from './tests.ts';
import {
  equal,
  float,
  integer,
  isList,
  isMapping,
  isText,
  isUndefined,
  list,
  text,
  tuple,
  type Value,
} from './values.ts';

type Filter = (operand: Value, args: Arguments) => Value;

/** Filters that take or return lists. `map` is in `filters.ts`, because it applies other filters. */
export const listFilters: Readonly<Record<string, Filter>> = {
  list: (operand) => list([...itemsOf(operand)]),
  first: (operand) => itemsOf(operand)[0] ?? missing,
  last: (operand) => itemsOf(operand).at(-1) ?? missing,
  length,
  count: length,
  reverse: (operand) =>
    isText(operand) ? text(Array.from(operand.value).reverse().join('')) : list([...itemsOf(operand)].reverse()),
  join: (operand, args) => {
    const attribute = args.get(1, 'attribute');
    const shown = itemsOf(operand).map((item) => pythonText(attribute ? attributeAt(item, attribute) : item));
    const separator = args.get(0, 'd');
    return text(shown.join(separator ? pythonText(separator) : ''));
  },
  sort: (operand, args) => {
    const keys = keysOf(args.get(2, 'attribute'));
    const order = (a: Value, b: Value) => compareKeys(keys(a), keys(b), !flag(args, 1, 'case_sensitive'));
    const sorted = [...itemsOf(operand)].sort(flag(args, 0, 'reverse') ? (a, b) => order(b, a) : order);
    return list(sorted);
  },
  unique: (operand, args) => {
    const attribute = args.get(1, 'attribute');
    const seen: Value[] = [];
    const isNew = (item: Value) => {
      const value = folded(attribute ? attributeAt(item, attribute) : item, !flag(args, 0, 'case_sensitive'));
      if (seen.some((other) => equal(other, value))) return false;
      seen.push(value);
      return true;
    };
    return list(itemsOf(operand).filter(isNew));
  },
  min: (operand, args) => extreme(operand, args, -1),
  max: (operand, args) => extreme(operand, args, 1),
  sum: (operand, args) => {
    const attribute = args.get(0, 'attribute');
    const values = itemsOf(operand).map((item) => (attribute ? attributeAt(item, attribute) : item));
    return values.reduce(add, args.get(1, 'start') ?? integer(0));
  },
  batch: (operand, args) => {
    const size = Number(args.get(0, 'linecount')?.value);
    const fill = args.get(1, 'fill_with');
    const items = itemsOf(operand);
    const batches = Array.from({ length: Math.ceil(items.length / size) }, (_, at) =>
      items.slice(at * size, (at + 1) * size),
    );
    return list(batches.map((batch) => list(fill ? [...batch, ...Array(size - batch.length).fill(fill)] : batch)));
  },
  slice: (operand, args) => {
    const count = Number(args.get(0, 'slices')?.value);
    const fill = args.get(1, 'fill_with');
    const items = itemsOf(operand);
    const each = Math.floor(items.length / count);
    const longer = items.length % count;
    const slices = Array.from({ length: count }, (_, at) => {
      const start = at * each + Math.min(at, longer);
      const part = items.slice(start, start + each + (at < longer ? 1 : 0));
      return list(fill && longer > 0 && at >= longer ? [...part, fill] : part);
    });
    return list(slices);
  },
  groupby: (operand, args) => {
    const keys = keysOf(args.get(0, 'attribute'));
    const usual = args.get(1, 'default');
    const keyOf = (item: Value) => {
      const [key] = keys(item);
      return isUndefined(key!) ? (usual ?? missing) : key!;
    };
    const ignoreCase = !flag(args, 2, 'case_sensitive');
    const groups: { key: Value; items: Value[] }[] = [];
    for (const item of [...itemsOf(operand)].sort((a, b) => compareKeys([keyOf(a)], [keyOf(b)], ignoreCase))) {
      const group = groups.at(-1);
      if (group && equal(folded(group.key, ignoreCase), folded(keyOf(item), ignoreCase))) group.items.push(item);
      else groups.push({ key: keyOf(item), items: [item] });
    }
    return list(groups.map(({ key, items }) => tuple([key, list(items)])));
  },
  items: (operand) => {
    if (isUndefined(operand)) return list([]);
    if (!isMapping(operand)) throw new Error('Can only get item pairs from a mapping.');
    return pairs(operand.value);
  },
  dictsort: (operand, args) => {
    if (!isMapping(operand)) throw new Error('dictsort takes a mapping');
    const position = args.get(1, 'by')?.value === 'value' ? 1 : 0;
    const order = (a: Value[], b: Value[]) =>
      compare(a[position]!, b[position]!, { ignoreCase: !flag(args, 0, 'case_sensitive') });
    const sorted = [...operand.value]
      .map(([key, value]) => [text(key), value])
      .sort((a, b) => (flag(args, 2, 'reverse') ? order(b, a) : order(a, b)));
    return list(sorted.map(tuple));
  },
  select: (operand, args) => list(itemsOf(operand).filter((item) => passes(item, args))),
  reject: (operand, args) => list(itemsOf(operand).filter((item) => !passes(item, args))),
  selectattr: (operand, args) => list(itemsOf(operand).filter((item) => attributePasses(item, args))),
  rejectattr: (operand, args) => list(itemsOf(operand).filter((item) => !attributePasses(item, args))),
};

export function pairs(mapping: ReadonlyMap<string, Value>): Value {
  return list([...mapping].map(([key, value]) => tuple([text(key), value])));
}

/** The values of `map(attribute=…)`, with a default for items without it. */
export function mapAttribute(operand: Value, args: Arguments): Value {
  const attribute = args.named.get('attribute')!;
  const usual = args.named.get('default');
  return list(
    itemsOf(operand).map((item) => {
      const value = attributeAt(item, attribute);
      return isUndefined(value) ? (usual ?? value) : value;
    }),
  );
}

function length(operand: Value): Value {
  if (isMapping(operand)) return integer(operand.value.size);
  if (isList(operand) || isText(operand) || isUndefined(operand)) return integer(itemsOf(operand).length);
  throw new Error(`${operand.type} has no length`);
}

function passes(item: Value, args: Arguments): boolean {
  const [name] = args.positional;
  return name ? test(String(name.value), item, args.after(1)) : truthy(item);
}

function attributePasses(item: Value, args: Arguments): boolean {
  return passes(attributeAt(item, args.positional[0]!), args.after(1));
}

function attributeAt(item: Value, attribute: Value): Value {
  return attributeOf(item, String(attribute.value));
}

/** Several attributes are separated by commas. */
function keysOf(attribute: Value | undefined): (item: Value) => Value[] {
  if (!attribute || attribute.type === 'NullValue') return (item) => [item];
  const paths = String(attribute.value).split(',');
  return (item) => paths.map((path) => attributeOf(item, path));
}

function compareKeys(a: Value[], b: Value[], ignoreCase: boolean): number {
  return compare(list(a), list(b), { ignoreCase });
}

function folded(value: Value, ignoreCase: boolean): Value {
  return ignoreCase && isText(value) ? text(value.value.toLowerCase()) : value;
}

function extreme(operand: Value, args: Arguments, sign: 1 | -1): Value {
  const attribute = args.get(1, 'attribute');
  const key = (item: Value) => (attribute ? attributeAt(item, attribute) : item);
  const ignoreCase = !flag(args, 0, 'case_sensitive');
  const [first, ...others] = itemsOf(operand);
  if (!first) return missing;
  return others.reduce((best, item) => (compare(key(item), key(best), { ignoreCase }) * sign > 0 ? item : best), first);
}

function add(a: Value, b: Value): Value {
  if (isList(a) && isList(b)) return list([...a.value, ...b.value]);
  if (!isNumber(a) || !isNumber(b)) throw new Error(`${a.type} and ${b.type} cannot be added`);
  const sum = Number(a.value) + Number(b.value);
  return a.type === 'FloatValue' || b.type === 'FloatValue' ? float(sum) : integer(sum);
}

function flag(args: Arguments, position: number, name: string): boolean {
  const value = args.get(position, name);
  return value !== undefined && truthy(value);
}
