import { isNumber } from './format-spec.ts';
import { isList, isText, type Value } from './values.ts';

/** Compares two values as Python does; with `ignoreCase`, as Jinja's filters do. @throws for values without an order */
export function compare(a: Value, b: Value, { ignoreCase = false } = {}): number {
  if (isNumber(a) && isNumber(b)) return Number(a.value) - Number(b.value);
  if (isText(a) && isText(b)) {
    const shown = (value: string) => Buffer.from(ignoreCase ? value.toLowerCase() : value);
    return Buffer.compare(shown(a.value), shown(b.value));
  }
  if (isList(a) && isList(b)) {
    for (const [index, item] of a.value.entries()) {
      const other = b.value[index];
      const order = other === undefined ? 1 : compare(item, other, { ignoreCase });
      if (order !== 0) return order;
    }
    return a.value.length - b.value.length;
  }
  throw new Error(`${a.type} and ${b.type} have no order`);
}
