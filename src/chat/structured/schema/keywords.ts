import { isObject } from '../../../util/json/own-member.ts';
import { constraintLimits } from '../limits.ts';
import { numberFormats } from './formats.ts';
import { inside, type Schema } from './schema-tree.ts';

export type JsonType = 'string' | 'number' | 'boolean' | 'null' | 'object' | 'array';
const jsonTypes: readonly JsonType[] = ['string', 'number', 'boolean', 'null', 'object', 'array'];

/** Keywords that a grammar cannot enforce. They are rejected: without them the output could violate the schema. */
const unsupported = [
  ...['contains', 'minContains', 'maxContains', 'not', 'if', 'then', 'else', 'dependentRequired', 'dependentSchemas'],
  ...['dependencies', '$dynamicRef', '$recursiveRef', 'unevaluatedItems'],
];

/** The type that a keyword applies to. */
const subjects: Record<string, JsonType | undefined> = {
  ...about('string', ['minLength', 'maxLength', 'pattern']),
  ...about('number', ['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf']),
  ...about('object', ['properties', 'required', 'additionalProperties', 'patternProperties', 'propertyNames']),
  ...about('object', ['minProperties', 'maxProperties', 'unevaluatedProperties']),
  ...about('array', ['items', 'prefixItems', 'additionalItems', 'minItems', 'maxItems', 'uniqueItems']),
};

const counts = ['minLength', 'maxLength', 'minItems', 'maxItems', 'minProperties', 'maxProperties'];
const bounds = ['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf'];
const lists = ['anyOf', 'oneOf', 'allOf', 'prefixItems', 'enum'];

/** Rejects unsupported parts of a schema, with their place. */
export function checkKeywords(schema: Schema, place: string): void {
  for (const keyword of unsupported) {
    if (schema[keyword] !== undefined && schema[keyword] !== false) {
      throw new Error(`${place}/${keyword} cannot be enforced while generating`);
    }
  }
  for (const keyword of counts) check(schema, place, keyword, isCount, 'a whole number from 0');
  for (const keyword of bounds) check(schema, place, keyword, Number.isFinite, 'a number');
  for (const keyword of lists) check(schema, place, keyword, isFilledList, 'a list with at least one member');
  for (const keyword of ['properties', 'patternProperties', '$defs', 'definitions']) {
    check(schema, place, keyword, isObject, 'an object');
  }
  check(schema, place, 'required', isListOfStrings, 'a list of strings');
  check(schema, place, 'pattern', (value) => typeof value === 'string', 'a string');
  if (typeof schema.multipleOf === 'number' && schema.multipleOf <= 0) {
    throw new Error(`${place}/multipleOf must be above 0`);
  }
  const { unevaluatedProperties, nullable, type } = schema;
  const isCombined = ['$ref', 'allOf', 'anyOf', 'oneOf'].some((keyword) => schema[keyword] !== undefined);
  if (unevaluatedProperties !== undefined && unevaluatedProperties !== true && isCombined) {
    throw new Error(`${place}/unevaluatedProperties beside other schemas cannot be enforced while generating`);
  }
  if (nullable !== undefined && type === undefined) throw new Error(`${place}/nullable needs a type beside it`);
  typesOf(schema, place);
}

/** The types that a schema allows; null if it names none. `isInteger`: numbers must be integers. */
export function typesOf(schema: Schema, place: string): { types: Set<JsonType>; isInteger: boolean } | null {
  if (schema.type === undefined) return null;
  const names = (Array.isArray(schema.type) ? schema.type : [schema.type]) as unknown[];
  if (names.length === 0) throw new Error(`${place}/type must name a type`);
  const unknown = names.find((name) => name !== 'integer' && !jsonTypes.includes(name as JsonType));
  if (unknown !== undefined) throw new Error(`${place}/type has the unknown type ${JSON.stringify(unknown)}`);
  const types = new Set(names.map((name) => (name === 'integer' ? 'number' : name) as JsonType));
  if (schema.nullable === true) types.add('null');
  return { types, isInteger: names.includes('integer') && !names.includes('number') };
}

/** The types that the keywords of a schema apply to. */
export function subjectsOf(schema: Schema): JsonType[] {
  const found = Object.keys(schema).flatMap((keyword) => subjects[keyword] ?? []);
  if (schema.format === undefined) return found;
  return [...found, Object.hasOwn(numberFormats, String(schema.format)) ? 'number' : 'string'];
}

export function allTypes(): Set<JsonType> {
  return new Set(jsonTypes);
}

/** A schema inside another, such as `items`, which must not be nested too deeply. */
export function checkDepth(place: string): void {
  const depth = place.split('/').length / 2;
  if (depth > constraintLimits.schemaDepth) {
    throw new Error(`it is nested more than ${constraintLimits.schemaDepth} deep`);
  }
}

function check(
  schema: Schema,
  place: string,
  keyword: string,
  isRight: (value: unknown) => boolean,
  what: string,
): void {
  const value = schema[keyword];
  if (value !== undefined && !isRight(value)) throw new Error(`${inside(place, keyword)} must be ${what}`);
}

function isCount(value: unknown): boolean {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}

function isFilledList(value: unknown): boolean {
  return Array.isArray(value) && value.length > 0;
}

function isListOfStrings(value: unknown): boolean {
  return Array.isArray(value) && value.every((name) => typeof name === 'string');
}

function about(type: JsonType, keywords: string[]): Record<string, JsonType> {
  return Object.fromEntries(keywords.map((keyword) => [keyword, type]));
}
