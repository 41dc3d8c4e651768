import { invalidInput } from '../../util/failures.ts';
import { JsonSizeError } from '../../util/json/errors.ts';
import { JsonText } from '../../util/json/json-text.ts';
import { JsonNumber, type LosslessJson, parseLossless } from '../../util/json/lossless.ts';
import {
  type Comparison,
  convertTargets,
  countOperands,
  fieldPaths,
  type Literal,
  type Operand,
  type Operation,
} from './operation.ts';
import { checkCount, queryLimits } from './query-limits.ts';
import { type Location, shapeError } from './shape-error.ts';

/**
 * Parses `{"$expr": …}`. Every operator can also be spelled like `eq_` instead of `$eq`.
 * @throws ValidationError if the shape is wrong, Failure if the shape is valid but the meaning is not.
 */
export function parseQuery(query: JsonText | LosslessJson): Operation {
  const loc: Location = ['body', 'query'];
  const tree = asObject(query instanceof JsonText ? readTree(query) : query, loc);
  for (const key of tree.keys()) {
    if (key !== '$expr' && key !== 'expr_') {
      throw shapeError('extra_forbidden', 'Extra inputs are not permitted', [...loc, key], tree.get(key)!);
    }
  }
  const expression = tree.get('$expr') ?? tree.get('expr_');
  if (expression === undefined) throw shapeError('missing', 'Field required', [...loc, '$expr'], tree);
  const operand = parseOperand(expression, [...loc, '$expr']);
  if (!isOperation(operand)) {
    throw shapeError(
      'value_error',
      `Input should be one operation, keyed by ${operations.join(', ')}`,
      [...loc, '$expr'],
      expression,
    );
  }
  checkSize(operand);
  return operand;
}

/** The same for a query inside of an object that a client has published: the Python SDK adds the classes of its parts. */
export function parsePublishedQuery(query: JsonText | LosslessJson): Operation {
  const tree = query instanceof JsonText ? readTree(query) : query;
  const hasClass = tree instanceof Map && tree.has('_type');
  return parseQuery(hasClass ? new Map([...tree].filter(([key]) => !classFields.has(key))) : tree);
}

const classFields = new Set(['_type', '_class_name', '_bases']);

/**
 * An operand uses two JSON values, and so do an operation and its list; parsing stops when a text has more than the
 * limits allow.
 */
const valuesMax = 4 * queryLimits.operands;

function readTree({ text }: JsonText): LosslessJson {
  try {
    return parseLossless(text, valuesMax);
  } catch (error) {
    if (error instanceof JsonSizeError) {
      throw invalidInput(
        `A query can have at most ${queryLimits.operands} operands, this one holds more than ${valuesMax} values`,
      );
    }
    throw error;
  }
}

/** Many ids are allowed: they are looked up by index, while most other fields have to be read. */
function checkSize(operation: Operation): void {
  checkCount('operands in its query', countOperands(operation), queryLimits.operands);
  const fields = fieldPaths(operation).filter((path) => path !== 'id');
  checkCount('fields in its query', fields.length, queryLimits.fields);
}

/** The same for an optional query: null if it is null or absent. */
export function parseOptionalQuery(query: JsonText | null): Operation | null {
  return query && query.kind !== 'null' ? parseQuery(query) : null;
}

const comparisons = ['eq', 'gt', 'lt', 'gte', 'lte'] as const satisfies Comparison[];
const operations = ['$and', '$or', '$not', ...comparisons.map((name) => `$${name}`), '$in', '$contains'];

type LosslessObject = Map<string, LosslessJson>;
type Parser = (value: LosslessJson, loc: Location) => Operand;

/** In the order used for an object with two known keys. */
const parsers: [name: string, parse: Parser][] = [
  ['$and', (value, loc) => parseJunction('and', value, loc)],
  ['$or', (value, loc) => parseJunction('or', value, loc)],
  ['$not', parseNot],
  ...comparisons.map((kind): [string, Parser] => [`$${kind}`, (value, loc) => parseComparison(kind, value, loc)]),
  ['$in', parseIn],
  ['$contains', parseContains],
  ['$literal', (value, loc) => ({ kind: 'literal', literal: parseLiteral(value, loc) })],
  ['$getField', (value, loc) => ({ kind: 'field', path: asString(value, loc) })],
  ['$convert', parseConvert],
  ['$size', (value, loc) => ({ kind: 'size', input: parseOperand(value, loc) })],
];

function parseOperand(value: LosslessJson, loc: Location): Operand {
  const object = asObject(value, loc);
  for (const [name, parse] of parsers) {
    const key = [name, underscored(name)].find((spelling) => object.has(spelling));
    if (key !== undefined) return parse(object.get(key)!, [...loc, key]);
  }
  const known = parsers.map(([name]) => name).join(', ');
  throw shapeError('value_error', `Input should be an object with one of the keys ${known}`, loc, value);
}

/** `$getField` can also be spelled `get_field_`. */
function underscored(name: string): string {
  return `${name.slice(1).replace(/[A-Z]/g, (capital) => `_${capital.toLowerCase()}`)}_`;
}

function isOperation(operand: Operand): operand is Operation {
  return !['literal', 'field', 'convert', 'size'].includes(operand.kind);
}

function parseJunction(kind: 'and' | 'or', value: LosslessJson, loc: Location): Operand {
  const operands = parseOperands(value, loc);
  if (operands.length === 0) throw invalidInput(`$${kind} needs at least one operand, found an empty list`);
  return { kind, operands };
}

function parseNot(value: LosslessJson, loc: Location): Operand {
  return { kind: 'not', operand: parseOperands(value, loc, 1)[0]! };
}

function parseComparison(kind: Comparison, value: LosslessJson, loc: Location): Operand {
  const [left, right] = parseOperands(value, loc, 2);
  return { kind, left: left!, right: right! };
}

function parseIn(value: LosslessJson, loc: Location): Operand {
  const [operand, list] = asList(value, loc, 2);
  return { kind: 'in', operand: parseOperand(operand!, [...loc, 0]), list: parseOperands(list!, [...loc, 1]) };
}

function parseContains(value: LosslessJson, loc: Location): Operand {
  const object = asObject(value, loc);
  const flag = object.get('case_insensitive') ?? false;
  if (typeof flag !== 'boolean') {
    throw shapeError('bool_type', 'Input should be a valid boolean', [...loc, 'case_insensitive'], flag);
  }
  return {
    kind: 'contains',
    input: parseOperand(member(object, 'input', loc), [...loc, 'input']),
    substr: parseOperand(member(object, 'substr', loc), [...loc, 'substr']),
    isCaseInsensitive: flag,
  };
}

function parseConvert(value: LosslessJson, loc: Location): Operand {
  const object = asObject(value, loc);
  const input = parseOperand(member(object, 'input', loc), [...loc, 'input']);
  const found = member(object, 'to', loc);
  const to = convertTargets.find((target) => target === found);
  if (to === undefined) {
    const message = `Input should be ${convertTargets.map((target) => `'${target}'`).join(', ')}`;
    throw shapeError('literal_error', message, [...loc, 'to'], found);
  }
  return { kind: 'convert', input, to };
}

function parseLiteral(value: LosslessJson, loc: Location): Literal {
  if (value === null) return { type: 'null' };
  if (typeof value === 'string') return { type: 'string', value };
  if (typeof value === 'boolean') return { type: 'bool', value };
  if (value instanceof JsonNumber) {
    return value.isInteger ? { type: 'int', value: BigInt(value.text) } : { type: 'float', value: Number(value.text) };
  }
  if (Array.isArray(value) && value.length > 0 && value.every(isLiteral)) {
    throw invalidInput(
      '$literal takes a text, a number, a truth value or null, found a list of literals; use $in instead',
    );
  }
  throw shapeError('value_error', 'Input should be a text, a number, a truth value or null', loc, value);
}

function isLiteral(value: LosslessJson): boolean {
  return value instanceof Map && (value.has('$literal') || value.has('literal_'));
}

function parseOperands(value: LosslessJson, loc: Location, length?: number): Operand[] {
  return asList(value, loc, length).map((operand, index) => parseOperand(operand, [...loc, index]));
}

function asList(value: LosslessJson, loc: Location, length?: number): LosslessJson[] {
  if (!Array.isArray(value)) throw shapeError('list_type', 'Input should be a valid list', loc, value);
  if (length !== undefined && value.length !== length) {
    const type = value.length < length ? 'too_short' : 'too_long';
    throw shapeError(
      type,
      `List should have ${length} item${length === 1 ? '' : 's'}, not ${value.length}`,
      loc,
      value,
    );
  }
  return value;
}

function asObject(value: LosslessJson, loc: Location): LosslessObject {
  if (value instanceof Map) return value;
  throw shapeError('dict_type', 'Input should be a valid dictionary', loc, value);
}

function asString(value: LosslessJson, loc: Location): string {
  if (typeof value === 'string') return value;
  throw shapeError('string_type', 'Input should be a valid string', loc, value);
}

function member(object: LosslessObject, name: string, loc: Location): LosslessJson {
  const value = object.get(name);
  if (value === undefined) throw shapeError('missing', 'Field required', [...loc, name], object);
  return value;
}
