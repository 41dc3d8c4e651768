import { Environment } from '@huggingface/jinja';
import { parseWithNumbers } from '../../../util/json/parse.ts';

/** A runtime value of the library. Its classes are not exported, so they are taken from samples. */
export type Value = { type: string; value: unknown; toString(): string };
type Maker = new (value?: unknown) => Value;

const sample = (value: unknown) => (new Environment().set('sample', value) as object).constructor as Maker;

const IntegerValue = sample(1);
const FloatValue = sample(0.5);
const StringValue = sample('');
const BooleanValue = sample(true);
const ObjectValue = sample({});
const ArrayValue = sample([]);
const FunctionValue = sample(() => null);
const NullValue = sample(null);
const UndefinedValue = sample(undefined);

export const none = (): Value => new NullValue(null);
const undefinedValue = (): Value => new UndefinedValue();
export const text = (value: string): Value => new StringValue(value);
export const boolean = (value: boolean): Value => new BooleanValue(value);
export const integer = (value: number): Value => new IntegerValue(value);
export const float = (value: number): Value => new FloatValue(value);
export const list = (values: Value[]): Value => new ArrayValue(values);
/** The library's tuple class extends its list class and cannot be taken from a sample. */
export const tuple = (values: Value[]): Value => Object.assign(list(values), { type: 'TupleValue' });
export const mapping = (entries: Iterable<readonly [string, Value]>): Value => new ObjectValue(new Map(entries));
export const callable = (call: (args: Value[]) => Value): Value => new FunctionValue(call);

/**
 * A number of JSON text that JavaScript would print differently: a float without a fraction, or an integer beyond 2^53.
 */
class JsonNumber {
  readonly value: number;
  readonly text: string;
  readonly isFloat: boolean;

  constructor(text: string) {
    this.value = Number(text);
    this.text = text;
    this.isFloat = /[.eE]/.test(text);
  }
}

/** Parses JSON so that its numbers can be printed as Python prints them. */
export function parseJson(json: string): unknown {
  return parseWithNumbers(json, (digits) => {
    const value = Number(digits);
    const isExact = /[.eE]/.test(digits) ? !Number.isInteger(value) : Number.isSafeInteger(value);
    return isExact ? value : new JsonNumber(digits);
  });
}

const exactIntegers = new WeakMap<Value, string>();

/** JavaScript values as values of a template. Lone surrogates become U+FFFD. */
export function toValue(value: unknown): Value {
  if (value === undefined) return undefinedValue();
  if (value === null) return none();
  if (typeof value === 'string') return text(value.toWellFormed());
  if (typeof value === 'boolean') return boolean(value);
  if (typeof value === 'number') return Number.isInteger(value) ? integer(value) : new FloatValue(value);
  if (value instanceof JsonNumber) return numberOf(value);
  if (typeof value === 'function') return callable((args) => toValue(value(...args.map((arg) => arg.value))));
  if (Array.isArray(value)) return list(value.map(toValue));
  return new ObjectValue(new Map(Object.entries(value).map(([key, inner]) => [key.toWellFormed(), toValue(inner)])));
}

function numberOf(number: JsonNumber): Value {
  if (number.isFloat) return new FloatValue(number.value);
  const value = integer(number.value);
  exactIntegers.set(value, String(BigInt(number.text)));
  return value;
}

export function isMapping(value: Value): value is Value & { value: Map<string, Value> } {
  return value.value instanceof Map;
}

export function isList(value: Value): value is Value & { value: Value[] } {
  return Array.isArray(value.value);
}

export function isText(value: Value): value is Value & { value: string } {
  return value.type === 'StringValue';
}

export function isUndefined(value: Value): boolean {
  return value.type === 'UndefinedValue';
}

/** A number as Python prints it. */
export function numberText(value: Value): string {
  if (value.type !== 'FloatValue') return exactIntegers.get(value) ?? String(value.value);
  const number = value.value as number;
  if (!Number.isFinite(number)) return Number.isNaN(number) ? 'NaN' : number > 0 ? 'Infinity' : '-Infinity';
  if (Object.is(number, -0)) return '-0.0';
  const [digits, exponent] = number.toExponential().split('e') as [string, string];
  const power = Number(exponent);
  if (number !== 0 && (power < -4 || power >= 16)) {
    return `${digits}e${power < 0 ? '-' : '+'}${String(Math.abs(power)).padStart(2, '0')}`;
  }
  return Number.isInteger(number) ? `${number}.0` : String(number);
}

/**
 * `a == b` as in Python: by content; numbers and booleans compare by number, all other values only within their type.
 */
export function equal(a: Value, b: Value): boolean {
  if (isList(a) && isList(b)) {
    return a.value.length === b.value.length && a.value.every((item, index) => equal(item, b.value[index]!));
  }
  if (isMapping(a) && isMapping(b)) {
    const other = b.value;
    return (
      a.value.size === other.size && [...a.value].every(([key, item]) => other.has(key) && equal(item, other.get(key)!))
    );
  }
  if (isNumeric(a) && isNumeric(b)) return Number(a.value) === Number(b.value);
  return a.type === b.type && a.value === b.value;
}

function isNumeric(value: Value): boolean {
  return ['IntegerValue', 'FloatValue', 'BooleanValue'].includes(value.type);
}
