import { checkJsonDepth, checkLength, constraintLimits } from './limits.ts';
import { exactRegex } from './regex.ts';

type Schema = Record<string, unknown>;

/** Keywords that a grammar cannot enforce. They are rejected: without them the output could violate the schema. */
const unsupported = new Set([
  ...['multipleOf', 'uniqueItems', 'contains', 'minContains', 'maxContains', 'minProperties', 'maxProperties'],
  ...['propertyNames', 'patternProperties', 'not', 'if', 'then', 'else', 'dependentRequired', 'dependentSchemas'],
  ...['dependencies', '$dynamicRef', '$recursiveRef'],
]);

const formats = new Set([
  ...['email', 'date', 'time', 'date-time', 'duration', 'ipv4', 'ipv6', 'hostname', 'uuid', 'uri', 'uri-reference'],
  ...['uri-template', 'json-pointer', 'relative-json-pointer'],
]);

const types = new Set(['string', 'number', 'integer', 'boolean', 'null', 'object', 'array']);

/** The keywords that contain schemas: one, a list, or one for each name. */
const holdsOne = new Set([
  'items',
  'additionalItems',
  'additionalProperties',
  'unevaluatedItems',
  'unevaluatedProperties',
]);
const holdsList = new Set(['anyOf', 'oneOf', 'allOf', 'prefixItems']);
const holdsNamed = new Set(['properties', '$defs', 'definitions']);

/**
 * A schema that the grammar library enforces completely, as text. Throws with the place and the reason if it would not,
 * and bounds size and depth.
 */
export function exactSchema(schema: unknown): string {
  const exact = visit(schema, '#', 0, schema);
  checkJsonDepth(exact);
  const text = JSON.stringify(exact);
  checkLength(text, constraintLimits.schemaLength);
  return text;
}

export function exactSchemaText(text: string): string {
  if (text.trim() === '') throw new Error('it is empty');
  let schema: unknown;
  try {
    schema = JSON.parse(text);
  } catch (error) {
    throw new Error(`it is not JSON (${(error as Error).message})`);
  }
  return exactSchema(schema);
}

function visit(schema: unknown, place: string, depth: number, root: unknown): unknown {
  if (typeof schema === 'boolean') return schema;
  if (!isObject(schema)) throw new Error(`${place} must be an object or a boolean`);
  const { schemaDepth } = constraintLimits;
  if (depth > schemaDepth) throw new Error(`it is nested more than ${schemaDepth} deep`);
  checkKeywords(schema, place, root);
  const inside = (value: unknown, step: string) => visit(value, `${place}/${step}`, depth + 1, root);
  return Object.fromEntries(
    Object.entries(schema).map(([keyword, value]): [string, unknown] => {
      if (keyword === 'pattern') return [keyword, exactPattern(value, place)];
      if (holdsOne.has(keyword) && !Array.isArray(value)) return [keyword, inside(value, keyword)];
      if (holdsList.has(keyword) || (keyword === 'items' && Array.isArray(value))) {
        if (!Array.isArray(value)) throw new Error(`${place}/${keyword} must be a list`);
        return [keyword, value.map((item, index) => inside(item, `${keyword}/${index}`))];
      }
      if (holdsNamed.has(keyword)) {
        if (!isObject(value)) throw new Error(`${place}/${keyword} must be an object`);
        const named = Object.entries(value).map(([name, item]) => [name, inside(item, `${keyword}/${name}`)]);
        return [keyword, Object.fromEntries(named)];
      }
      return [keyword, value];
    }),
  );
}

function checkKeywords(schema: Schema, place: string, root: unknown): void {
  for (const keyword of Object.keys(schema)) {
    if (unsupported.has(keyword) && schema[keyword] !== false) {
      throw new Error(`${place}/${keyword} cannot be enforced while generating`);
    }
  }
  const { type, format, allOf, $ref, enum: values } = schema;
  for (const name of Array.isArray(type) ? type : type === undefined ? [] : [type]) {
    if (!types.has(name as string)) throw new Error(`${place}/type has the unknown type ${JSON.stringify(name)}`);
  }
  if (format !== undefined && !formats.has(format as string)) {
    throw new Error(`${place}/format ${JSON.stringify(format)} cannot be enforced while generating`);
  }
  if (Array.isArray(allOf) && allOf.length > 1) {
    throw new Error(`${place}/allOf with several members cannot be enforced while generating`);
  }
  if (values !== undefined && !(Array.isArray(values) && values.length > 0)) {
    throw new Error(`${place}/enum must be a list with at least one value`);
  }
  if ($ref !== undefined) checkReference($ref, place, root);
}

function checkReference(reference: unknown, place: string, root: unknown): void {
  if (typeof reference !== 'string' || !reference.startsWith('#')) {
    throw new Error(`${place}/$ref must point into the schema itself, got ${JSON.stringify(reference)}`);
  }
  let target: unknown = root;
  for (const step of reference.slice(1).split('/').slice(1)) {
    const name = decodeURIComponent(step).replaceAll('~1', '/').replaceAll('~0', '~');
    target = isObject(target) || Array.isArray(target) ? (target as Schema)[name] : undefined;
  }
  if (target === undefined) throw new Error(`${place}/$ref points to ${reference}, which is not there`);
}

function exactPattern(pattern: unknown, place: string): string {
  if (typeof pattern !== 'string') throw new Error(`${place}/pattern must be a string`);
  try {
    return exactRegex(pattern);
  } catch (error) {
    throw new Error(`${place}/pattern: ${(error as Error).message}`);
  }
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
