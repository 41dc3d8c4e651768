import { parsePlain } from '../../util/json/parse.ts';
import type { Tool } from './tool.ts';

/**
 * Reads `<function=name><parameter=key>value</parameter>…</function>`. Values have no quotes: the tool's schema says
 * which are strings. @throws if it is not a call
 */
export function readQwenCoderCall(text: string, tools: readonly Tool[]): { name: string; arguments: string } {
  const found = /^\s*<function=([^>\n]+)>(.*?)(?:<\/function>)?\s*$/s.exec(text);
  if (!found) throw new Error('there is no <function=…>');
  const [, name, body] = found as unknown as [string, string, string];
  const properties = propertiesOf(tools.find((tool) => tool.function.name === name));
  const members: string[] = [];
  let rest = body;
  while (rest.trim() !== '') {
    // A value may itself contain tags; it ends at the last closing tag before the next parameter.
    const parameter = /^\s*<parameter=([^>\n]+)>(.*?)(?:<\/parameter>)?\s*(?=<parameter=|$)/s.exec(rest);
    if (!parameter) throw new Error('there is text outside of the parameters');
    const [whole, key, value] = parameter as unknown as [string, string, string];
    members.push(`${JSON.stringify(key)}: ${jsonOf(value.replace(/^\n/, '').replace(/\n$/, ''), properties[key])}`);
    rest = rest.slice(whole.length);
  }
  return { name, arguments: `{${members.join(', ')}}` };
}

function propertiesOf(tool: Tool | undefined): Record<string, unknown> {
  try {
    const schema = parsePlain(tool?.function.parameters ?? '{}') as { properties?: Record<string, unknown> };
    return schema.properties ?? {};
  } catch {
    return {};
  }
}

/** The value as JSON: unchanged if its schema allows that type, otherwise as a string. */
function jsonOf(value: string, schema: unknown): string {
  const types = typesOf(schema);
  const isString = types.size === 0 || (types.size === 1 && types.has('string'));
  if (isString) return JSON.stringify(value);
  // Some models write Python's literals instead of JSON's.
  const written = { True: 'true', False: 'false', None: 'null' }[value.trim()] ?? value.trim();
  try {
    const type = typeOf(parsePlain(written));
    const isAllowed = types.has(type) || (type === 'integer' && types.has('number')) || !types.has('string');
    return isAllowed ? written : JSON.stringify(value);
  } catch {
    return JSON.stringify(value);
  }
}

/** Every type that a schema names, including in alternatives. */
function typesOf(schema: unknown): Set<string> {
  if (typeof schema !== 'object' || schema === null) return new Set();
  const { type, anyOf, oneOf, enum: values } = schema as Record<string, unknown>;
  const named = [type].flat().filter((each): each is string => typeof each === 'string');
  const inside = [anyOf, oneOf].flatMap((each) =>
    Array.isArray(each) ? each.flatMap((one) => [...typesOf(one)]) : [],
  );
  const valued = named.length === 0 && Array.isArray(values) ? values.map(typeOf) : [];
  return new Set([...named, ...inside, ...valued]);
}

function typeOf(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  return Number.isInteger(value) ? 'integer' : typeof value;
}
