import { isDeepStrictEqual } from 'node:util';
import { isObject } from '../../../util/json/own-member.ts';
import type { Alternatives } from './alternatives.ts';
import { Conjunction } from './conjunction.ts';
import type { JsonType } from './keywords.ts';
import { includes } from './language.ts';
import { Items, Properties } from './members.ts';
import type { Bound, NumberRange } from './number-rules.ts';

const depthMax = 4;

/** Decides, without generating, which values satisfy the schemas of a tree. */
export class Satisfaction {
  readonly #alternatives: Alternatives;

  constructor(alternatives: Alternatives) {
    this.#alternatives = alternatives;
  }

  /** Whether a value satisfies all schemas at these places. */
  at(value: unknown, places: readonly string[]): boolean {
    return this.#alternatives.of(places).some((alternative) => this.of(value, new Conjunction(alternative)));
  }

  of(value: unknown, all: Conjunction): boolean {
    const type = typeOf(value);
    const { types } = all.types;
    const { values } = all;
    if (!types.has(type) || (values !== null && !values.some((each) => isDeepStrictEqual(each, value)))) return false;
    if (type === 'number') return this.#number(value as number, all);
    if (type === 'string') return includes(all.strings, value as string);
    if (type === 'object') return this.#object(value as Record<string, unknown>, all);
    return type !== 'array' || this.#array(value as unknown[], all);
  }

  /** True if it is certain that no value written for one conjunction satisfies the other. */
  areApart(written: Conjunction, other: Conjunction, depth = 0): boolean {
    if (depth > depthMax) return false;
    if (written.values) return !written.values.some((value) => this.of(value, written) && this.of(value, other));
    if (other.values) return !other.values.some((value) => this.of(value, written) && this.of(value, other));
    const types = [...written.typesToGenerate].filter((type) => other.types.types.has(type));
    return types.every((type) => {
      if (type === 'number') return rangesAreApart(written.range, other.range);
      if (type === 'string') return countsAreApart(written, other, 'minLength', 'maxLength');
      if (type === 'array') return countsAreApart(written, other, 'minItems', 'maxItems');
      return type === 'object' && this.#objectsAreApart(written, other, depth);
    });
  }

  /** The same for schemas at some places. */
  placesAreApart(written: readonly string[], other: readonly string[], depth: number): boolean {
    const others = this.#alternatives.of(other).map((each) => new Conjunction(each));
    return this.#alternatives
      .of(written)
      .every((one) => others.every((each) => this.areApart(new Conjunction(one), each, depth)));
  }

  #objectsAreApart(written: Conjunction, other: Conjunction, depth: number): boolean {
    const [properties, others] = [new Properties(written), new Properties(other)];
    const names = new Set(properties.names);
    const isWritten = (name: string) => names.has(name) || properties.isOpen || properties.patterns.length > 0;
    if ([...others.required].some((name) => !isWritten(name))) return true;
    return [...properties.required].some((name) =>
      this.placesAreApart(properties.placesOf(name), others.placesOf(name), depth + 1),
    );
  }

  #number(value: number, all: Conjunction): boolean {
    const { low, high } = all.range;
    if (all.isInteger && !Number.isInteger(value)) return false;
    if (low && (value < low.value || (low.isOpen && value === low.value))) return false;
    if (high && (value > high.value || (high.isOpen && value === high.value))) return false;
    return all.multiples.every((multiple) => Number.isInteger(value / multiple.value));
  }

  #object(value: Record<string, unknown>, all: Conjunction): boolean {
    const properties = new Properties(all);
    const names = Object.keys(value);
    const max = all.smallest('maxProperties');
    if (names.length < all.largest('minProperties') || (max !== null && names.length > max)) return false;
    if ([...properties.required].some((name) => !Object.hasOwn(value, name))) return false;
    return names.every(
      (name) => this.at(name, properties.placesOfNames) && this.at(value[name], properties.placesOf(name)),
    );
  }

  #array(value: unknown[], all: Conjunction): boolean {
    const items = new Items(all);
    const max = all.smallest('maxItems');
    if (value.length < all.largest('minItems') || (max !== null && value.length > max)) return false;
    const isUnique = value.every(
      (item, index) => !value.slice(0, index).some((other) => isDeepStrictEqual(item, other)),
    );
    if (!isUnique && all.parts.some(({ schema }) => schema.uniqueItems === true)) return false;
    return value.every((item, index) => this.at(item, items.placesOf(index)));
  }
}

function typeOf(value: unknown): JsonType {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  return isObject(value) ? 'object' : (typeof value as JsonType);
}

function rangesAreApart(a: NumberRange, b: NumberRange): boolean {
  const isBelow = (high: Bound | null, low: Bound | null) =>
    high !== null &&
    low !== null &&
    (high.value < low.value || (high.value === low.value && (high.isOpen || low.isOpen)));
  return isBelow(a.high, b.low) || isBelow(b.high, a.low);
}

function countsAreApart(a: Conjunction, b: Conjunction, least: string, most: string): boolean {
  return (
    a.largest(least) > (b.smallest(most) ?? Number.POSITIVE_INFINITY) ||
    b.largest(least) > (a.smallest(most) ?? Number.POSITIVE_INFINITY)
  );
}
