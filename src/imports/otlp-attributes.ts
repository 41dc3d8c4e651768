import { JsonText } from '../util/json/json-text.ts';
import { isObject } from '../util/json/own-member.ts';
import { toJson } from '../util/json/write.ts';

type KeyValue = { key: string; value: object };

/**
 * Attributes in the JSON form of OTLP. Nested objects and lists of objects become dotted keys, as OpenInference writes
 * them; lists of plain values remain lists, and what OpenInference stores as JSON becomes JSON again.
 */
export function otlpAttributes(attributes: Record<string, unknown>): KeyValue[] {
  return Object.entries(attributes).flatMap(([key, value]) => flattened(key, value));
}

const keptAsJson = new Set([
  'input.value',
  'output.value',
  'metadata',
  'llm.invocation_parameters',
  'llm.prompt_template.variables',
  'tool.parameters',
]);

function flattened(key: string, value: unknown): KeyValue[] {
  if (value === null || value === undefined) return [];
  if (value instanceof JsonText) return [{ key, value: anyValue(value) }];
  if (keptAsJson.has(key) && typeof value === 'object') return [{ key, value: { stringValue: toJson(value) } }];
  if (Array.isArray(value)) {
    if (!value.some((each) => typeof each === 'object' && each !== null && !(each instanceof JsonText))) {
      return [{ key, value: { arrayValue: { values: value.map(anyValue) } } }];
    }
    return value.flatMap((each, index) => flattened(`${key}.${index}`, each));
  }
  if (isObject(value)) return Object.entries(value).flatMap(([name, each]) => flattened(`${key}.${name}`, each));
  return [{ key, value: anyValue(value) }];
}

function anyValue(value: unknown): object {
  if (typeof value === 'boolean') return { boolValue: value };
  if (typeof value === 'number') return Number.isInteger(value) ? { intValue: String(value) } : { doubleValue: value };
  if (value instanceof JsonText) return isInt64(value.text) ? { intValue: value.text } : { doubleValue: value };
  return { stringValue: String(value) };
}

function isInt64(digits: string): boolean {
  return /^-?\d+$/.test(digits) && BigInt.asIntN(64, BigInt(digits)) === BigInt(digits);
}
