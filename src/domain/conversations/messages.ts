import type { LosslessJson, LosslessObject } from '../../util/json/lossless.ts';
import { type Message, message, type Part } from './conversation.ts';
import { itemOf } from './items.ts';
import { langChainMessage } from './langchain.ts';
import { mediaFrom, mediaOf } from './media.ts';
import { partsOf, reasoningParts } from './parts.ts';
import { resultParts, toolCall } from './tools.ts';
import { listOf, memberOf, objectOf, opened, textAt } from './values.ts';

/** The messages of a list; null if anything in it is none. A batch of one list is that list. */
export function messagesOf(value: LosslessJson | undefined): Message[] | null {
  const list = listOf(value);
  if (list === null || list.length === 0) return null;
  const pair = pairOf(list);
  if (pair) return [pair];
  const [first] = list;
  if (list.length === 1 && Array.isArray(opened(first)) && !pairOf(opened(first) as LosslessJson[]))
    return messagesOf(first);
  const messages: Message[] = [];
  for (const each of list) {
    const read = messagesIn(each);
    if (read === null) return null;
    messages.push(...read);
  }
  return list.some((each) => isItem(objectOf(each))) ? joined(messages) : messages;
}

/** An item of OpenAI's responses, several of which are one answer. */
function isItem(sent: LosslessObject | null): boolean {
  return sent !== null && !sent.has('role') && (sent.has('type') || sent.has('summary')) && itemOf(sent) !== null;
}

/** What one thing of a list of messages is: usually one message, but it may contain several. Null if it is none. */
export function messagesIn(value: LosslessJson | undefined): Message[] | null {
  const sent = opened(value);
  if (Array.isArray(sent)) {
    const pair = pairOf(sent);
    return pair && [pair];
  }
  if (!(sent instanceof Map)) return null;
  const item = itemOf(sent);
  if (item) return item;
  const whole = unwrapped(sent);
  return historyOf(whole) ?? resultsOfFunctions(whole) ?? one(whole);
}

/** LangChain's short form: `["human", "Hello"]`. */
function pairOf(list: LosslessJson[]): Message | null {
  const [role, content] = list;
  if (list.length !== 2 || typeof role !== 'string' || roles[role.toLowerCase()] === undefined) return null;
  return typeof content === 'string' || Array.isArray(content) ? message(canonical(role), partsOf(content)) : null;
}

function one(sent: LosslessObject): Message[] | null {
  const role = roleOf(sent);
  if (role === null || !isMessage(sent, role)) return null;
  const name = textAt(sent, 'name');
  const content = memberOf(sent, 'parts', 'contents', '_content', 'content', 'blocks', 'text');
  const parts = role === 'tool' ? toolParts(sent, content) : contentOf(content);
  const whole = withCalls([...reasoningOf(sent, parts), ...parts, ...besideContent(sent)], sent);
  if (role === 'tool') return [message(role, whole)];
  return apart(message(role, whole, name));
}

/** Results of tools are messages of their own, also if they are sent as the user's. */
function apart(whole: Message): Message[] {
  const results = whole.parts.filter(({ type }) => type === 'tool_result');
  if (results.length === 0 || whole.role === 'assistant') return [whole];
  const rest = whole.parts.filter(({ type }) => type !== 'tool_result');
  return [message('tool', results), ...(rest.length === 0 ? [] : [{ ...whole, parts: rest }])];
}

/** An object with a role is a message if it has content, or if it cannot be anything else. */
function isMessage(sent: LosslessObject, role: string): boolean {
  return (
    contentKeys.some((key) => sent.has(key)) ||
    (canonicalRoles.has(role) && [...sent.keys()].every((key) => plainKeys.has(key)))
  );
}

const contentKeys = [
  ...[
    'content',
    'parts',
    'contents',
    '_content',
    'blocks',
    'tool_calls',
    'function_call',
    'reasoning_content',
    'refusal',
  ],
  ...['audio', 'function_call_name', 'toolCalls', 'images'],
];
const plainKeys = new Set(['role', 'finish_reason', 'index', 'id', 'name', 'type', 'event.name']);

/** Gemini's content may contain its own parts. */
function contentOf(content: LosslessJson | undefined): Part[] {
  const inner = memberOf(objectOf(content), 'parts');
  return partsOf(inner ?? content);
}

/** Results that are parts name their call; others have it beside them. */
function toolParts(sent: LosslessObject, content: LosslessJson | undefined): Part[] {
  const parts = Array.isArray(opened(content)) ? contentOf(content) : [];
  if (parts.some(({ type }) => type === 'tool_result')) return parts;
  const id = textAt(sent, 'tool_call_id', 'toolCallId', 'id');
  return resultParts(content ?? null, { id, name: textAt(sent, 'name', 'tool_name') }, partsOf);
}

function reasoningOf(sent: LosslessObject, parts: Part[]): Part[] {
  if (parts.some(({ type }) => type === 'reasoning')) return [];
  const extra = objectOf(sent.get('additional_kwargs'));
  return reasoningParts(
    memberOf(sent, 'reasoning_content', 'reasoning', 'reasoningText', 'thinking') ??
      memberOf(extra, 'reasoning_content'),
  );
}

function besideContent(sent: LosslessObject): Part[] {
  const parts: Part[] = [];
  const refusal = textAt(sent, 'refusal');
  if (refusal !== null) parts.push({ type: 'refusal', text: refusal });
  const audio = objectOf(sent.get('audio'));
  if (audio) {
    const sound = mediaOf(audio, 'audio');
    if (sound && sound.url !== null) parts.push(sound);
    const transcript = textAt(audio, 'transcript');
    if (transcript !== null) parts.push({ type: 'text', text: transcript });
  }
  parts.push(...(listOf(sent.get('images')) ?? []).flatMap(imageParts));
  return parts;
}

/** Ollama sends images as base64 without a type. */
function imageParts(image: LosslessJson): Part[] {
  const media = typeof image === 'string' ? mediaFrom(image, { kind: 'image', mimeType: null, name: null }) : null;
  return media ? [media] : partsOf([image]);
}

/** Calls of tools are beside the content, in it, or both. */
function withCalls(parts: Part[], sent: LosslessObject): Part[] {
  const extra = objectOf(sent.get('additional_kwargs'));
  const beside = listOf(memberOf(sent, 'tool_calls', 'toolCalls')) ?? [];
  const listed = beside.length > 0 ? beside : (listOf(memberOf(extra, 'tool_calls')) ?? []);
  const calls = listed.flatMap((each) => objectOf(each) ?? []).map(toolCall);
  const older = objectOf(memberOf(sent, 'function_call') ?? memberOf(extra, 'function_call'));
  if (older) calls.push(toolCall(older));
  const name = textAt(sent, 'function_call_name');
  if (name !== null)
    calls.push(
      toolCall(
        new Map([
          ['name', name],
          ['arguments', sent.get('function_call_arguments_json') ?? ''],
        ]),
      ),
    );
  const known = new Set(parts.flatMap((part) => (part.type === 'tool_call' && part.id !== null ? [part.id] : [])));
  return [
    ...parts,
    ...calls.filter(({ id, name }) => !(id !== null && known.has(id)) && !(name === 'tool' && id === null)),
  ];
}

/** OpenInference and OpenTelemetry put a message below `message`, LangChain below `kwargs` or `data`. */
function unwrapped(sent: LosslessObject): LosslessObject {
  const chain = langChainMessage(sent);
  if (chain) return chain;
  const inner = opened(sent.get('message'));
  if (typeof inner === 'string' && sent.has('role')) return new Map([...sent, ['content', inner]]);
  if (!(inner instanceof Map)) return sent;
  return new Map([
    ...[...sent].filter(([key]) => key === 'role' || key === 'event.name'),
    ...(langChainMessage(inner) ?? inner),
  ]);
}

/** OpenInference puts what functions returned into a list beside a message without content. */
function resultsOfFunctions(sent: LosslessObject): Message[] | null {
  const results = listOf(sent.get('function'))?.flatMap((each) => objectOf(each) ?? []);
  if (!results?.length || !results.every((each) => each.has('content'))) return null;
  return results.map((each) => {
    const whole = { id: textAt(each, 'call_id'), name: textAt(each, 'name') };
    return message('tool', resultParts(each.get('content')!, whole, partsOf));
  });
}

/** Pydantic AI's own history: requests and responses, whose parts are messages. */
function historyOf(sent: LosslessObject): Message[] | null {
  const parts = listOf(sent.get('parts'));
  if (!parts?.length || !parts.every((part) => objectOf(part)?.has('part_kind'))) return null;
  return joined(parts.map((part) => message(roleOfPart(objectOf(part)!), contentOfPart(objectOf(part)!))));
}

function contentOfPart(part: LosslessObject): Part[] {
  return /prompt$/.test(part.get('part_kind') as string) && !part.has('tool_call_id')
    ? partsOf(part.get('content'))
    : partsOf([part]);
}

function roleOfPart(part: LosslessObject): string {
  const kind = String(part.get('part_kind'));
  if (kind === 'system-prompt') return 'system';
  if (kind === 'tool-return' || (kind === 'retry-prompt' && part.has('tool_call_id'))) return 'tool';
  return kind === 'user-prompt' || kind === 'retry-prompt' ? 'user' : 'assistant';
}

/** Parts of one answer are one message. */
function joined(messages: Message[]): Message[] {
  const result: Message[] = [];
  for (const each of messages) {
    const last = result.at(-1);
    if (last?.role === 'assistant' && each.role === 'assistant') last.parts.push(...each.parts);
    else result.push(each);
  }
  return result;
}

function roleOf(sent: LosslessObject): string | null {
  const role = textAt(sent, 'role', '_role') ?? textAt(objectOf(sent.get('author')), 'role');
  if (role !== null) return canonical(role);
  const [, event] = /^gen_ai\.(\w+)\.message$/.exec(textAt(sent, 'event.name') ?? '') ?? [];
  if (event !== undefined) return canonical(event);
  if (sent.get('event.name') === 'gen_ai.choice') return 'assistant';
  const type = textAt(sent, 'type');
  return type !== null && roles[type.toLowerCase()] !== undefined && sent.has('content') ? canonical(type) : null;
}

/** The names that libraries use for roles. */
const roles: Record<string, string> = {
  ...{ system: 'system', developer: 'system', user: 'user', human: 'user', assistant: 'assistant', ai: 'assistant' },
  ...{ model: 'assistant', chatbot: 'assistant', aimessagechunk: 'assistant', tool: 'tool', function: 'tool' },
  ...{ 'tool-call': 'assistant', 'tool-response': 'tool', ipython: 'tool' },
};
const canonicalRoles = new Set(Object.values(roles));

function canonical(role: string): string {
  const name = role.toLowerCase().replace(/^messagerole\./, '');
  return roles[name] ?? name;
}
