import { recordOf } from '../../format/call.ts';
import { parseJson, writeJson } from '../../format/json.ts';

export type MessagePart =
  | { kind: 'text'; text: string }
  | { kind: 'reasoning'; text: string }
  /** An image or sound inside the message (`data:`), or an address, which is not loaded. */
  | { kind: 'media'; type: 'image' | 'audio'; source: string }
  | { kind: 'toolCall'; name: string; input: unknown }
  | { kind: 'toolResult'; output: unknown }
  | { kind: 'other'; value: unknown };

export type Message = { role: string; name: string | null; parts: MessagePart[] };

/** The messages of a chat request and of its answers; null if the call is not a chat. */
export type Conversation = { asked: Message[]; answered: Message[] };

/**
 * Reads the inputs and the output of a call as a conversation, in the shapes of OpenAI's chat completions and responses,
 * of Anthropic's messages, and of the conventions of OpenInference and OpenTelemetry.
 */
export function conversationOf(inputs: unknown, output: unknown): Conversation | null {
  const asked = askedMessages(recordOf(inputs));
  const answered = answeredMessages(output);
  const isChat =
    asked.length > 0 && (answered.length > 0 || asked.some(({ role }) => role !== 'user' || asked.length > 1));
  return isChat || (answered.length > 0 && asked.length > 0) ? { asked, answered } : null;
}

function askedMessages(inputs: Record<string, unknown>): Message[] {
  const { messages, input, contents } = inputs;
  const list = [messages, input, contents, ...valuesAt(inputs, spanInputs)].find(isMessageList);
  if (list === undefined) return [];
  const system = inputs.system ?? inputs.instructions ?? inputs.system_instruction;
  const first = system ? [{ role: 'system', name: null, parts: partsOf(system) }] : [];
  return [...first, ...(list as unknown[]).map(messageOf)];
}

function answeredMessages(output: unknown): Message[] {
  if (isMessageList(output)) return (output as unknown[]).map(messageOf);
  const record = recordOf(output);
  if (Array.isArray(record.choices)) {
    return record.choices.flatMap((choice) =>
      'message' in recordOf(choice) ? [messageOf(recordOf(choice).message)] : [],
    );
  }
  const list = [record.output, record.messages, ...valuesAt(record, spanOutputs)].find(isMessageList);
  if (list !== undefined) return (list as unknown[]).map(messageOf);
  return isMessage(record) ? [messageOf(record)] : [];
}

/** Where calls that were made from spans have their messages. */
const spanInputs = ['llm.input_messages', 'gen_ai.input.messages'];
const spanOutputs = ['llm.output_messages', 'gen_ai.output.messages'];

function valuesAt(record: Record<string, unknown>, names: string[]): unknown[] {
  return names.map((name) => record[name]);
}

function isMessageList(value: unknown): boolean {
  return Array.isArray(value) && value.length > 0 && value.every(isMessage);
}

/** Items of OpenAI's responses that are not messages have a type instead of a role. */
function isMessage(value: unknown): boolean {
  const { role, type, content, parts, tool_calls } = recordOf(value);
  if (typeof role === 'string') return content !== undefined || parts !== undefined || tool_calls !== undefined;
  return typeof type === 'string' && responseItems.has(type);
}

const responseItems = new Set(['message', 'function_call', 'function_call_output', 'reasoning']);

function messageOf(value: unknown): Message {
  const message = recordOf(value);
  const { role, name, type } = message;
  if (typeof role !== 'string') {
    const sender = type === 'function_call_output' ? 'tool' : 'assistant';
    return { role: sender, name: null, parts: [partOf(message)] };
  }
  const reasoning = message.reasoning_content ?? message.reasoning;
  const content = role === 'tool' ? [toolResult(message.content)] : partsOf(message.content ?? message.parts);
  return {
    role,
    name: typeof name === 'string' ? name : null,
    parts: [
      ...(typeof reasoning === 'string' && reasoning !== '' ? [{ kind: 'reasoning' as const, text: reasoning }] : []),
      ...content,
      ...spokenParts(message.audio),
      ...(Array.isArray(message.tool_calls) ? message.tool_calls.map(partOf) : []),
    ],
  };
}

/** The sound of an answer and what it says. */
function spokenParts(audio: unknown): MessagePart[] {
  const { data, format, transcript } = recordOf(audio);
  const said = typeof transcript === 'string' && transcript !== '' ? [{ kind: 'text' as const, text: transcript }] : [];
  return [...(typeof data === 'string' ? [mediaOf({ audio: { data, format } })!] : []), ...said];
}

function partsOf(content: unknown): MessagePart[] {
  if (content === null || content === undefined || content === '') return [];
  return Array.isArray(content) ? content.map(partOf) : [partOf(content)];
}

function partOf(value: unknown): MessagePart {
  if (typeof value === 'string') return { kind: 'text', text: value };
  const part = recordOf(value);
  const called = recordOf(part.function);
  if (typeof called.name === 'string') return { kind: 'toolCall', name: called.name, input: parsed(called.arguments) };
  switch (part.type) {
    case 'function_call':
    case 'tool_use':
    case 'tool_call':
      return { kind: 'toolCall', name: String(part.name), input: parsed(part.input ?? part.arguments) };
    case 'function_call_output':
      return toolResult(part.output);
    case 'tool_result':
    case 'tool_call_response':
      return toolResult(part.content ?? part.response ?? part.result);
    case 'thinking':
    case 'reasoning':
      return { kind: 'reasoning', text: textIn(part.thinking ?? part.content ?? part.summary ?? part.text) };
    default:
      return mediaOf(part) ?? textPart(part) ?? { kind: 'other', value };
  }
}

function textPart(part: Record<string, unknown>): MessagePart | null {
  const text = [part.text, part.content, part.refusal].find((each) => typeof each === 'string');
  return text === undefined ? null : { kind: 'text', text: text as string };
}

function mediaOf(part: Record<string, unknown>): MessagePart | null {
  const image = typeof part.image_url === 'string' ? part.image_url : recordOf(part.image_url).url;
  if (typeof image === 'string') return { kind: 'media', type: 'image', source: image };
  const source = recordOf(part.source);
  if (part.type === 'image' && typeof source.data === 'string') {
    return { kind: 'media', type: 'image', source: `data:${source.media_type};base64,${source.data}` };
  }
  if (part.type === 'image' && typeof source.url === 'string')
    return { kind: 'media', type: 'image', source: source.url };
  const audio = recordOf(part.input_audio ?? part.audio);
  if (typeof audio.data === 'string') {
    return { kind: 'media', type: 'audio', source: `data:audio/${audio.format ?? 'wav'};base64,${audio.data}` };
  }
  return null;
}

function toolResult(output: unknown): MessagePart {
  const blocks = Array.isArray(output) ? output.map((each) => recordOf(each).text) : [];
  const isText = blocks.length > 0 && blocks.every((text) => typeof text === 'string');
  return { kind: 'toolResult', output: parsed(isText ? blocks.join('\n') : output) };
}

function textIn(value: unknown): string {
  if (typeof value === 'string') return value;
  if (Array.isArray(value)) return value.map((each) => textIn(recordOf(each).text ?? each)).join('\n');
  return value === undefined || value === null ? '' : writeJson(value);
}

/** Arguments and results are JSON in a text. */
function parsed(value: unknown): unknown {
  if (typeof value !== 'string' || !/^\s*[[{]/.test(value)) return value;
  try {
    return parseJson(value);
  } catch {
    return value;
  }
}
