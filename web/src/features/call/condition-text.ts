import type { LosslessNumber } from 'lossless-json';
import { isNumber, numberOf, recordOf, writeJson } from '../../format/json.ts';
import { isRef } from '../../refs.ts';
import { quoted } from './condition.ts';
import { fieldText as shownField } from './field-paths.ts';

/** An operand of a query, as requests write it. */
export type Operand = unknown;

/** A condition as the filter spells it; null if the filter cannot express it. */
export function conditionText(operand: Operand): string | null {
  const [[operator, value] = ['', null]] = Object.entries(recordOf(operand));
  switch (operator) {
    case '$and':
      return readingsText(value) ?? joined('and', value);
    case '$or':
      return wordText(value) ?? opText(value) ?? readingsText(value) ?? joined('or', value);
    case '$not':
      return prefixed('not ', conditionText(listOf(value)[0]));
    case '$contains':
      return containsText(value);
    case '$in':
      return inText(value);
    default:
      return operator in signs ? comparisonText(signs[operator]!, listOf(value)) : null;
  }
}

const signs: Record<string, string> = { $eq: ':', $gt: '>', $gte: '>=', $lt: '<', $lte: '<=' };

function joined(word: 'and' | 'or', operands: unknown): string | null {
  const texts = listOf(operands).map(conditionText);
  if (texts.length === 0 || texts.includes(null)) return null;
  return texts.length === 1 ? texts[0]! : `(${texts.join(` ${word} `)})`;
}

function comparisonText(sign: string, [left, right]: Operand[]): string | null {
  const field = fieldText(left);
  const value = literalOf(right);
  if (field === null || value === undefined) return null;
  if (field === 'op_name' && sign === ':' && !isRef(String(value))) return null; // the filter also finds refs
  return prefixed(field + sign, valueText(field, value));
}

function containsText(value: unknown): string | null {
  const { input, substr, case_insensitive } = recordOf(value);
  const field = fieldText(input);
  const word = literalOf(substr);
  return field === null || typeof word !== 'string' || case_insensitive !== true
    ? null
    : `${field}~${quotedText(word)}`;
}

function inText(value: unknown): string | null {
  const [field, list] = listOf(value);
  return joined(
    'or',
    listOf(list).map((each) => ({ $eq: [field, each] })),
  );
}

/** What the filter makes of a word without a field. */
function wordText(operands: unknown): string | null {
  const parts = listOf(operands).map((each) => recordOf(recordOf(each).$contains));
  const word = literalOf(parts[0]?.substr);
  const isWord =
    typeof word === 'string' &&
    parts.map(({ input }) => recordOf(input).$getField).join() === searchedFields.join() &&
    parts.every(({ substr, case_insensitive }) => literalOf(substr) === word && case_insensitive === true);
  return isWord ? quotedText(word) : null;
}

const searchedFields = ['inputs', 'output', 'op_name', 'display_name', 'exception'];

/** What the filter makes of `op_name:name`: the name itself, a ref of an op with this name, or a span with it. */
function opText(operands: unknown): string | null {
  const [first, second, ...others] = listOf(operands).map(recordOf);
  const [field, literal] = listOf(first?.$eq);
  const name = literalOf(literal);
  const { input, substr } = recordOf(second?.$contains);
  const isOp = [field, input].every((each) => recordOf(each).$getField === 'op_name');
  const areOfOp = others.every(
    ({ $eq, $contains }) =>
      recordOf(listOf($eq)[0]).$getField === 'attributes.otel_span.name' ||
      recordOf(recordOf($contains).input).$getField === 'op_name',
  );
  return isOp && areOfOp && literalOf(substr) === `/op/${name}:` ? `op_name:${quotedText(String(name))}` : null;
}

/** What the filter makes of a path whose dots may be part of keys: the same condition for several fields. */
function readingsText(operands: unknown): string | null {
  const texts = listOf(operands).map((each) => writeJson(each).replaceAll(String.raw`\\.`, '.'));
  return texts.length > 1 && new Set(texts).size === 1 ? conditionText(listOf(operands)[0]) : null;
}

/** SDKs convert fields that they compare with numbers, as the server does by itself. */
function fieldText(operand: Operand): string | null {
  const { $getField, $convert } = recordOf(operand);
  const { input, to } = recordOf($convert);
  const path = to === 'double' || to === 'int' ? recordOf(input).$getField : $getField;
  if (typeof path !== 'string' || shortFields.has(path)) return null;
  const text = longFields.get(path) ?? shownField(path);
  return fieldPattern.test(text) ? text : null;
}

const fieldPattern = /^[\p{L}_](?:\["(?:[^"\\]|\\.)*"\]|\[\d+\]|[\p{L}\p{N}_.$-])*$/u;
const longFields = new Map([
  ['summary.weave.status', 'status'],
  ['summary.weave.latency_ms', 'latency_ms'],
  ['inputs.model', 'model'],
]);
const shortFields = new Set(longFields.values());

function valueText(field: string, value: Literal): string | null {
  const seconds = field === 'started_at' ? numberOf(value) : null;
  if (seconds !== null) return new Date(seconds * 1000).toISOString();
  if (typeof value === 'string') return quotedText(value, isOtherWord.test(value) && !isId.test(field));
  return isId.test(field) ? null : String(value); // values of ids are read as text
}

/** Texts that the filter reads as a number or a word of JSON. */
const isOtherWord = /^(null|true|false|-?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?)$/i;
const isId = /(^|_)id$/;

function quotedText(value: string, always = false): string {
  return quoted(value, always || /^([:=<>~!]|(and|or|not)$)/i.test(value));
}

type Literal = string | LosslessNumber | number | boolean | null;

function literalOf(operand: Operand): Literal | undefined {
  const literal = recordOf(operand).$literal;
  const isLiteral =
    literal === null || typeof literal === 'string' || typeof literal === 'boolean' || isNumber(literal);
  return isLiteral ? (literal as Literal) : undefined;
}

function listOf(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [];
}

function prefixed(prefix: string, text: string | null): string | null {
  return text === null ? null : prefix + text;
}
