import { opened, plainText, type Tree, type TreeObject, writeTree } from '../tree.ts';
import { toolCall } from './tool-call.ts';

/** The parts of a message's content; `content` is undefined if none of them is shown to readers. */
export type Parts = {
  content: Tree | undefined;
  reasoning: string;
  toolCalls: TreeObject[];
  /** Members of messages of the role `tool`. */
  toolResults: TreeObject[];
};

/**
 * Sorts the parts of a content, in the formats of OpenAI, Anthropic, Bedrock, Vercel's SDK, OpenInference and
 * OpenTelemetry.
 */
export function readParts(content: Tree | undefined): Parts {
  const parts: Parts = { content: undefined, reasoning: '', toolCalls: [], toolResults: [] };
  if (content === undefined) return parts;
  const list = opened(content);
  if (!Array.isArray(list) || !list.every((each) => typeof each === 'string' || opened(each) instanceof Map)) {
    return { ...parts, content: list instanceof Map || Array.isArray(list) ? writeTree(content) : content };
  }
  const shown: Tree[] = [];
  for (const each of list) {
    const part = opened(each);
    if (!(part instanceof Map)) shown.push(textPart(plainText(part)));
    else addPart(parts, shown, part);
  }
  return { ...parts, content: joined(shown) };
}

function addPart(parts: Parts, shown: Tree[], sent: TreeObject): void {
  const part = unwrapped(sent);
  const [type, body] = typeOf(part);
  const at = (...keys: string[]) => keys.map((key) => body.get(key)).find((value) => value !== undefined);
  if (toolCallTypes.has(type)) {
    const named = opened(body.get('function'));
    const from = named instanceof Map ? named : body;
    const args = from.get('arguments') ?? at('input', 'args');
    parts.toolCalls.push(
      toolCall(at('id', 'toolUseId', 'toolCallId', 'call_id'), from.get('name') ?? at('toolName'), args),
    );
  } else if (toolResultTypes.has(type)) {
    const result = at('response', 'result', 'content', 'output') ?? null;
    const id = at('id', 'tool_use_id', 'toolUseId', 'toolCallId', 'call_id');
    const message: [string, Tree][] = [['content', textOf(result)]];
    if (id !== undefined) message.push(['tool_call_id', plainText(id)]);
    parts.toolResults.push(new Map(message));
  } else if (reasoningTypes.has(type)) {
    parts.reasoning += plainText(at('content', 'text', 'thinking', 'reasoning', 'data') ?? '');
  } else if (textTypes.has(type)) {
    shown.push(textPart(plainText(at('text', 'content') ?? '')));
  } else {
    shown.push(imagePart(type, body) ?? part);
  }
}

const textTypes = new Set(['text', 'input_text', 'output_text']);
const toolCallTypes = new Set(['tool_call', 'tool-call', 'tool_use', 'toolUse', 'function_call', 'server_tool_use']);
const toolResultTypes = new Set([
  ...['tool_call_response', 'tool-result', 'tool_result', 'toolResult', 'function_call_output', 'tool_return'],
]);
const reasoningTypes = new Set(['reasoning', 'thinking', 'reasoningContent', 'redacted_thinking']);

function unwrapped(part: TreeObject): TreeObject {
  const inner = opened(part.get('message_content'));
  return inner instanceof Map ? inner : part;
}

/** The type of a part and where its members are. In Bedrock, the type is the only key: `{"toolUse": {…}}`. */
function typeOf(part: TreeObject): [type: string, body: TreeObject] {
  const type = plainText(part.get('type') ?? part.get('kind'));
  if (type !== '') {
    const inner = opened(part.get('tool_call')); // OpenInference's content in Anthropic's format
    return [type, inner instanceof Map ? inner : part];
  }
  if (part.has('text') && part.size === 1) return ['text', part];
  for (const key of ['toolUse', 'toolResult', 'reasoningContent', 'image', 'document']) {
    const body = opened(part.get(key));
    if (!(body instanceof Map)) continue;
    const text = opened(body.get('reasoningText'));
    return [key, text instanceof Map ? text : body];
  }
  return ['', part];
}

/** Images of all conventions as a part with an address, which may be the image itself. */
function imagePart(type: string, body: TreeObject): TreeObject | null {
  const at = (...path: string[]): Tree | undefined => {
    let current: Tree | undefined = body;
    for (const key of path) {
      const container = opened(current);
      current = container instanceof Map ? container.get(key) : undefined;
    }
    return current;
  };
  const isImage = /image/.test(type) || plainText(body.get('modality')) === 'image';
  if (!isImage || type === 'image_url') return null;
  const data = at('source', 'data') ?? (type === 'blob' ? (body.get('content') ?? body.get('data')) : undefined);
  const mime = plainText(at('source', 'media_type') ?? body.get('mime_type') ?? body.get('mediaType')) || 'image/png';
  const found =
    at('image', 'image', 'url') ??
    at('image', 'url') ??
    at('source', 'url') ??
    body.get('uri') ??
    body.get('image_url');
  const url = data === undefined ? (found ?? body.get('image')) : `data:${mime};base64,${plainText(data)}`;
  if (typeof url !== 'string') return null;
  return new Map<string, Tree>([
    ['type', 'image_url'],
    ['image_url', new Map([['url', url]])],
  ]);
}

/** The result of a tool as text: the texts of its parts, or its JSON. */
function textOf(result: Tree): Tree {
  const list = opened(result);
  if (!Array.isArray(list)) {
    const inner =
      list instanceof Map && list.get('type') === 'text' ? (list.get('value') ?? list.get('text')) : undefined;
    return plainText(inner ?? result);
  }
  const texts = list.map((each) => {
    const part = opened(each);
    return part instanceof Map ? (part.get('text') ?? part.get('content')) : part;
  });
  return texts.every((text) => typeof text === 'string') ? texts.join('\n') : plainText(result);
}

function textPart(text: string): TreeObject {
  return new Map<string, Tree>([
    ['type', 'text'],
    ['text', text],
  ]);
}

/** A single text is returned as text; several, or texts with images, as parts. */
function joined(shown: Tree[]): Tree | undefined {
  const [first] = shown;
  if (shown.length === 0) return undefined;
  const isText = first instanceof Map && first.get('type') === 'text';
  return shown.length === 1 && isText ? first.get('text')! : shown;
}
