import { isDeepStrictEqual } from 'node:util';
import type { Alternative, Part } from './alternatives.ts';
import { formatLanguage, numberFormats } from './formats.ts';
import { allTypes, type JsonType, subjectsOf, typesOf } from './keywords.ts';
import { bothOf, type Language, ofLength } from './language.ts';
import type { Bound, NumberRange } from './number-rules.ts';
import { patternLanguage } from './pattern.ts';
import { inside } from './schema-tree.ts';

/** What several schemas without combinations require together. */
export class Conjunction {
  readonly parts: readonly Part[];
  readonly picks: ReadonlyMap<string, number>;

  constructor({ parts, picks }: Alternative) {
    this.parts = parts;
    this.picks = picks;
  }

  /** The types of the values that they allow. */
  get types(): { types: Set<JsonType>; isInteger: boolean } {
    const found = { types: allTypes(), isInteger: false };
    for (const { schema, place } of this.parts) {
      const named = typesOf(schema, place);
      if (named === null) continue;
      found.types = new Set([...found.types].filter((type) => named.types.has(type)));
      found.isInteger ||= named.isInteger;
    }
    return found;
  }

  /** The types to generate: if no schema names one, those that its keywords apply to. */
  get typesToGenerate(): Set<JsonType> {
    const { types } = this.types;
    if (this.parts.some(({ schema }) => schema.type !== undefined)) return types;
    const subjects = this.parts.flatMap(({ schema }) => subjectsOf(schema));
    return subjects.length === 0 ? types : new Set(subjects);
  }

  /** The values of `enum` and `const`, or null if there are none. Other keywords may forbid some of them. */
  get values(): unknown[] | null {
    const lists = this.parts.flatMap(({ schema }) => [
      ...(schema.enum === undefined ? [] : [schema.enum as unknown[]]),
      ...(Object.hasOwn(schema, 'const') ? [[schema.const]] : []),
    ]);
    const [first, ...others] = lists;
    if (first === undefined) return null;
    return first.filter((value, index) => {
      return placeOf(value, first) === index && others.every((list) => placeOf(value, list) !== -1);
    });
  }

  get range(): NumberRange {
    const range: NumberRange = { low: null, high: null };
    const raise = (bound: Bound) => {
      range.low = range.low === null || isBeyond(bound, range.low, 1) ? bound : range.low;
    };
    const lower = (bound: Bound) => {
      range.high = range.high === null || isBeyond(bound, range.high, -1) ? bound : range.high;
    };
    for (const { schema, place } of this.parts) {
      const { minimum, exclusiveMinimum, maximum, exclusiveMaximum, format } = schema as Record<string, number>;
      if (minimum !== undefined) raise({ value: minimum, isOpen: false });
      if (exclusiveMinimum !== undefined) raise({ value: exclusiveMinimum, isOpen: true });
      if (maximum !== undefined) lower({ value: maximum, isOpen: false });
      if (exclusiveMaximum !== undefined) lower({ value: exclusiveMaximum, isOpen: true });
      const ofFormat = numberFormats[String(format)];
      if (format !== undefined && ofFormat === undefined) this.#checkFormat(schema.format, place);
      if (ofFormat) {
        raise({ value: ofFormat.min, isOpen: false });
        lower({ value: ofFormat.max, isOpen: false });
      }
    }
    return range;
  }

  /** Also true if a format applies only to integers. */
  get isInteger(): boolean {
    return (
      this.types.isInteger ||
      this.parts.some(({ schema }) => /^(int(8|16|32|64)|uint(8|16|32|64)?)$/.test(String(schema.format)))
    );
  }

  get multiples(): { value: number; place: string }[] {
    return this.parts.flatMap(({ schema, place }) =>
      schema.multipleOf === undefined
        ? []
        : [{ value: schema.multipleOf as number, place: inside(place, 'multipleOf') }],
    );
  }

  /** The languages of patterns and formats. */
  get languages(): Language[] {
    return this.parts.flatMap(({ schema, place }) => [
      ...(schema.pattern === undefined ? [] : [patternAt(schema.pattern as string, inside(place, 'pattern'))]),
      ...(schema.format === undefined ? [] : this.#format(schema.format, place)),
    ]);
  }

  get lengths(): [min: number, max: number | null] {
    return [this.largest('minLength'), this.smallest('maxLength')];
  }

  get strings(): Language {
    return bothOf([...this.languages, ofLength(...this.lengths)]);
  }

  largest(keyword: string): number {
    return Math.max(0, ...this.#numbers(keyword));
  }

  smallest(keyword: string): number | null {
    const found = this.#numbers(keyword);
    return found.length === 0 ? null : Math.min(...found);
  }

  #numbers(keyword: string): number[] {
    return this.parts.flatMap(({ schema }) => (schema[keyword] === undefined ? [] : [schema[keyword] as number]));
  }

  #format(format: unknown, place: string): Language[] {
    if (Object.hasOwn(numberFormats, String(format))) return [];
    this.#checkFormat(format, place);
    return [formatLanguage(format as string)!];
  }

  #checkFormat(format: unknown, place: string): void {
    if (typeof format === 'string' && formatLanguage(format)) return;
    throw new Error(`${place}/format ${JSON.stringify(format)} cannot be enforced while generating`);
  }
}

export function patternAt(pattern: string, place: string, unanchored: 'whole' | 'search' = 'whole'): Language {
  try {
    return patternLanguage(pattern, { unanchored });
  } catch (error) {
    throw new Error(`${place}: ${(error as Error).message}`);
  }
}

/** The first index of an equal value in a list. Long lists contain strings and numbers, which are found quickly. */
function placeOf(value: unknown, list: readonly unknown[]): number {
  if (typeof value !== 'object') return list.indexOf(value);
  return list.findIndex((other) => isDeepStrictEqual(other, value));
}

/** Whether a bound is tighter than another. `sign`: 1 for lower bounds, −1 for upper ones. */
function isBeyond(bound: Bound, other: Bound, sign: 1 | -1): boolean {
  if (bound.value === other.value) return bound.isOpen && !other.isOpen;
  return (bound.value - other.value) * sign > 0;
}
