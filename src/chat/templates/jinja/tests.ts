import type { Arguments } from './arguments.ts';
import { compare } from './compare.ts';
import { isNumber } from './format-spec.ts';
import { itemsOf } from './items.ts';
import { equal, isList, isMapping, isText, isUndefined, type Value } from './values.ts';

type Test = (value: Value, args: Arguments) => boolean;

/** The tests of `is`, as in Python's Jinja. */
const tests: Readonly<Record<string, Test | undefined>> = {
  defined: (value) => !isUndefined(value),
  undefined: (value) => isUndefined(value),
  none: (value) => value.type === 'NullValue',
  boolean: (value) => value.type === 'BooleanValue',
  true: (value) => value.type === 'BooleanValue' && value.value === true,
  false: (value) => value.type === 'BooleanValue' && value.value === false,
  integer: (value) => value.type === 'IntegerValue',
  float: (value) => value.type === 'FloatValue',
  number: isNumber,
  string: isText,
  mapping: isMapping,
  iterable: (value) => isList(value) || isMapping(value) || isText(value) || isUndefined(value),
  sequence: (value) => isList(value) || isMapping(value) || isText(value) || isUndefined(value),
  callable: (value) => value.type === 'FunctionValue',
  odd: (value) => modulo(value, 2) === 1,
  even: (value) => modulo(value, 2) === 0,
  divisibleby: (value, args) => modulo(value, Number(operand(args).value)) === 0,
  lower: (value) => isText(value) && value.value === value.value.toLowerCase() && /\p{L}/u.test(value.value),
  upper: (value) => isText(value) && value.value === value.value.toUpperCase() && /\p{L}/u.test(value.value),
  in: (value, args) => contains(operand(args), value),
  sameas: (value, args) => isSame(value, operand(args)),
  eq: (value, args) => equal(value, operand(args)),
  ne: (value, args) => !equal(value, operand(args)),
  gt: (value, args) => compare(value, operand(args)) > 0,
  ge: (value, args) => compare(value, operand(args)) >= 0,
  lt: (value, args) => compare(value, operand(args)) < 0,
  le: (value, args) => compare(value, operand(args)) <= 0,
};

const aliases: Readonly<Record<string, string | undefined>> = {
  equalto: 'eq',
  '==': 'eq',
  '!=': 'ne',
  '>': 'gt',
  greaterthan: 'gt',
  '>=': 'ge',
  '<': 'lt',
  lessthan: 'lt',
  '<=': 'le',
};

const mark = 'test ';

/**
 * The library does not parse arguments of tests, so tests with arguments reach the interpreter as filters with a name
 * that no template can write.
 */
export function filterNameOf(test: string, isNegated: boolean): string {
  return `${mark}${isNegated ? 'not ' : ''}${test}`;
}

/** The test for a filter with this name; null if it is a real filter. */
export function testOf(filter: string): { name: string; isNegated: boolean } | null {
  if (!filter.startsWith(mark)) return null;
  const name = filter.slice(mark.length);
  return name.startsWith('not ') ? { name: name.slice(4), isNegated: true } : { name, isNegated: false };
}

/** @throws if Jinja has no such test */
export function test(name: string, value: Value, args: Arguments): boolean {
  const known = tests[aliases[name] ?? name];
  if (!known) throw new Error(`No test named '${name}'`);
  return known(value, args);
}

export function hasTest(name: string): boolean {
  return name === 'filter' || name === 'test' || tests[aliases[name] ?? name] !== undefined;
}

export function contains(container: Value, item: Value): boolean {
  if (isText(container)) {
    if (!isText(item)) throw new Error(`A string contains strings only, not ${item.type}`);
    return container.value.includes(item.value);
  }
  if (isMapping(container)) return isText(item) && container.value.has(item.value);
  return itemsOf(container).some((each) => equal(each, item));
}

function operand(args: Arguments): Value {
  const [first] = args.positional;
  if (!first) throw new Error('The test needs an argument');
  return first;
}

function modulo(value: Value, divisor: number): number {
  if (!isNumber(value)) throw new Error(`${value.type} is not a number`);
  const number = Number(value.value);
  return number - divisor * Math.floor(number / divisor);
}

function isSame(a: Value, b: Value): boolean {
  const isSingle = isText(a) || isNumber(a) || a.type === 'NullValue';
  return a === b || (isSingle && a.type === b.type && a.value === b.value);
}
