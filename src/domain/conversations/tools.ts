import type { LosslessJson, LosslessObject } from '../../util/json/lossless.ts';
import type { Part } from './conversation.ts';
import { memberOf, objectOf, opened, textAt, unquoted, written } from './values.ts';

type ToolCall = Extract<Part, { type: 'tool_call' }>;

/** A call of a tool. Its arguments are JSON in a string with most providers, and an object with others. */
export function toolCall(sent: LosslessObject): ToolCall {
  const call = objectOf(sent.get('tool_call')) ?? sent;
  const named = objectOf(call.get('function')) ?? call;
  const args = memberOf(named, 'arguments', 'args', 'input', 'parameters') ?? memberOf(call, 'input', 'args');
  const id = memberOf(call, 'call_id', 'tool_call_id', 'toolCallId', 'toolUseId', 'id');
  return {
    type: 'tool_call',
    id: id === undefined ? null : written(id),
    name: textAt(named, 'name', 'tool_name', 'toolName') ?? textAt(call, 'name', 'tool_name', 'toolName') ?? 'tool',
    arguments: args === undefined || args === '' ? new Map() : opened(args)!,
  };
}

/** What a tool returned, and beside it the pictures in it. */
export function toolResult(part: LosslessObject, partsOf: (content: LosslessJson) => Part[]): Part[] {
  const id = memberOf(part, 'tool_call_id', 'tool_use_id', 'toolCallId', 'toolUseId', 'call_id', 'id');
  const name = textAt(part, 'name', 'tool_name', 'toolName');
  const returned = memberOf(part, 'response', 'result', 'output', 'content', 'structured_content') ?? null;
  const whole = { id: id === undefined ? null : written(id), name };
  return resultParts(returned, whole, partsOf);
}

export function resultParts(
  returned: LosslessJson,
  whole: { id: string | null; name: string | null },
  partsOf: (content: LosslessJson) => Part[],
): Part[] {
  const value = unwrapped(opened(typeof returned === 'string' ? unquoted(returned) : returned)!);
  const parts =
    Array.isArray(value) && value.length > 0 && value.every((each) => each instanceof Map) ? partsOf(value) : [];
  const isParts = parts.length > 0 && parts.every(({ type }) => type !== 'json' && type !== 'tool_call');
  if (!isParts) return [{ type: 'tool_result', ...whole, result: value }];
  const texts = parts.flatMap((part) => (part.type === 'text' ? [part.text] : []));
  const text = texts.join('\n');
  const result: Part = { type: 'tool_result', ...whole, result: opened(text)! };
  return [...(texts.length > 0 ? [result] : []), ...parts.filter(({ type }) => type !== 'text')];
}

/** Vercel and Bedrock say what kind of result it is: `{"type": "json", "value": …}`, `{"json": …}`. */
function unwrapped(value: LosslessJson): LosslessJson {
  if (Array.isArray(value) && value.length === 1) {
    const [only] = value;
    return only instanceof Map && only.size === 1 && only.has('json') ? only.get('json')! : value;
  }
  if (!(value instanceof Map)) return value;
  const type = value.get('type');
  if (typeof type === 'string' && /^(?:text|json|content|error-text|error-json)$/.test(type) && value.has('value')) {
    return opened(value.get('value')) ?? null;
  }
  return value.size === 1 && value.has('json') ? value.get('json')! : value;
}
