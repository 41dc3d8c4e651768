import { invalidInput } from '../../util/failures.ts';
import { kindOfPart, mediaKinds, textKinds } from './content-kinds.ts';
import { parseJson } from './jinja/values.ts';

/** A message of a request: its shape is checked, its fields are unchanged. */
export type ChatMessage = { role: string } & Record<string, unknown>;

/** Whether a template expects content as one string or as a list of parts. */
export type ContentFormat = 'string' | 'parts';

/** Messages as chat templates expect them. */
export function templateMessages(messages: readonly ChatMessage[], format: ContentFormat): Record<string, unknown>[] {
  return messages.map((message, index) => templateMessage(message, format, index));
}

/** A tool as templates expect it: its parameters, which arrive as text, become an object. */
export function templateTool(tool: unknown): unknown {
  const { function: fields } = tool as { function?: { parameters?: unknown } };
  if (typeof fields?.parameters !== 'string') return tool;
  return { ...(tool as object), function: { ...fields, parameters: parseJson(fields.parameters) } };
}

function templateMessage(message: ChatMessage, format: ContentFormat, index: number): Record<string, unknown> {
  const { role, name, tool_calls, tool_call_id } = message;
  const reasoning = message.reasoning ?? message.reasoning_content;
  const shaped: Record<string, unknown> = {
    role,
    content: contentOf(message.content, role === 'tool' ? 'string' : format, index),
  };
  if (typeof name === 'string') shaped.name = name;
  if (typeof tool_call_id === 'string') shaped.tool_call_id = tool_call_id;
  if (Array.isArray(tool_calls) && tool_calls.length > 0) shaped.tool_calls = tool_calls.map(toolCallOf);
  // Some templates read one name, some the other.
  if (typeof reasoning === 'string') Object.assign(shaped, { reasoning, reasoning_content: reasoning });
  return shaped;
}

function contentOf(content: unknown, format: ContentFormat, index: number): string | { type: 'text'; text: string }[] {
  if (typeof content === 'string') return content;
  if (content === null || content === undefined) return '';
  const strings = (content as unknown[]).flatMap((part, position) =>
    textOf(part, `messages.${index}.content.${position}`),
  );
  return format === 'string' ? strings.join('\n') : strings.map((text) => ({ type: 'text' as const, text }));
}

/** The text of one part; empty if it is null. */
function textOf(part: unknown, place: string): string[] {
  if (typeof part === 'string') return [part];
  const fields = (part ?? {}) as Record<string, unknown>;
  const kind = kindOfPart(fields);
  if (typeof kind === 'string' && mediaKinds.has(kind)) {
    throw invalidInput(`${place} is of the type ${kind}. This model reads text alone.`, { param: 'messages' });
  }
  const field = typeof kind === 'string' ? textKinds.get(kind) : undefined;
  if (field === undefined) {
    const known = [...textKinds.keys()].join(', ');
    const found = kind === undefined ? 'has no type' : `has the unknown type ${JSON.stringify(kind)}`;
    throw invalidInput(`${place} ${found}. Known are ${known}.`, { param: 'messages' });
  }
  const text = fields[field];
  if (text === null || text === undefined) return [];
  if (typeof text !== 'string') throw invalidInput(`${place}.${field} must be a string.`, { param: 'messages' });
  return [text];
}

/** Templates expect arguments as an object; anything except a JSON object becomes an empty one. */
function toolCallOf(call: unknown): unknown {
  const fields = call as { function?: { arguments?: unknown } };
  if (typeof fields?.function?.arguments !== 'string') return call;
  return { ...fields, function: { ...fields.function, arguments: argumentsOf(fields.function.arguments) } };
}

function argumentsOf(text: string): unknown {
  try {
    const parsed = parseJson(text);
    return typeof parsed === 'object' && parsed !== null ? parsed : {};
  } catch {
    return {};
  }
}
