import { Arguments } from './arguments.ts';
import { isSet, itemsOf, truthy } from './items.ts';
import { listFilters, mapAttribute } from './list-filters.ts';
import { numberFilters } from './number-filters.ts';
import { textFilters } from './text-filters.ts';
import { isUndefined, list, text, type Value } from './values.ts';

type Filter = (operand: Value, args: Arguments) => Value;

/** The filters of Python's Jinja that chat templates use. */
const filters: Readonly<Record<string, Filter | undefined>> = {
  ...textFilters,
  ...listFilters,
  ...numberFilters,
  default: defaulted,
  d: defaulted,
  map: (operand, args) => {
    if (args.named.has('attribute')) return mapAttribute(operand, args);
    const [name] = args.positional;
    if (!name) throw new Error('map needs a filter or an attribute');
    return list(itemsOf(operand).map((item) => applyFilter(String(name.value), item, args.after(1))));
  },
};

/** @throws if Jinja has no such filter, or it does not accept such a value */
export function applyFilter(name: string, operand: Value, args: Arguments = new Arguments([])): Value {
  const filter = filters[name];
  if (!filter) throw new Error(`No filter named '${name}'`);
  return filter(operand, args);
}

export function hasFilter(name: string): boolean {
  return filters[name] !== undefined;
}

function defaulted(operand: Value, args: Arguments): Value {
  const replacesFalse = args.get(1, 'boolean');
  const isMissing = isUndefined(operand) || (isSet(replacesFalse) && truthy(replacesFalse) && !truthy(operand));
  return isMissing ? (args.get(0, 'default_value') ?? text('')) : operand;
}
