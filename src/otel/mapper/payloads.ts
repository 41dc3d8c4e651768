import type { RawSpan } from '../raw-span.ts';
import { isTruthy, opened, type Tree, writeMembers, writeTree } from '../tree.ts';
import { type Found, findFirst, type NamedSource, sourcesOf } from './find.ts';
import { isRequestToModel, type Kind } from './kind.ts';
import { chatMessages } from './messages.ts';

const inputSources = sourcesOf(({ inputs }) => inputs);
const outputSources = sourcesOf(({ output }) => output);
const inputMessages = sourcesOf((convention) => convention.inputMessages);
const outputMessages = sourcesOf((convention) => convention.outputMessages);
/** All places where messages and payloads may be. */
export const payloadSources = { inputMessages, outputMessages, inputSources, outputSources };

const instructions = sourcesOf((convention) => convention.instructions);

/** The keys whose values are messages, whatever kind of span they are on. */
const messageKeys = new Set([
  ...[...inputMessages, ...outputMessages].map(({ key }) => key),
  'pydantic_ai.all_messages',
]);

export function findInputs(span: RawSpan, kind: Kind | null): Found | null {
  return find(span, kind, inputMessages, inputSources);
}

export function findOutput(span: RawSpan, kind: Kind | null): Found | null {
  return find(span, kind, outputMessages, outputSources);
}

/** For a model request, its messages take precedence over what a framework wrote about it. */
function find(
  span: RawSpan,
  kind: Kind | null,
  messages: readonly NamedSource[],
  others: readonly NamedSource[],
): Found | null {
  if (!isRequestToModel(kind)) return findFirst(span, others);
  return findFirst(span, messages, saySomething) ?? findFirst(span, messages) ?? findFirst(span, others);
}

/** Whether messages contain more than their roles: some senders write a tool call elsewhere. */
function saySomething(value: Tree): boolean {
  const messages = opened(value);
  if (!Array.isArray(messages)) return isTruthy(value);
  return messages.some((each) => {
    const message = opened(each);
    return !(message instanceof Map) || [...message].some(([key, member]) => !silent.has(key) && isTruthy(member));
  });
}

const silent = new Set(['role', 'finish_reason', 'index', 'id']);

/** The value under the key it was found at; an object from a generic key is returned itself. Null if there is none. */
export function inputsOf(span: RawSpan, kind: Kind | null, found: Found | null): string | null {
  const isRequest = isRequestToModel(kind);
  if (found === null) return null;
  if (found.source.isWhole && opened(found.value) instanceof Map) return writeTree(found.value);
  return writeMembers([[found.source.key, withInstructions(span, shown(found, isRequest))]]);
}

/** Like the inputs, but any value from a generic key is returned itself. */
export function outputOf(kind: Kind | null, found: Found | null): string | null {
  const isRequest = isRequestToModel(kind);
  if (found === null) return null;
  if (found.source.isWhole) return writeTree(found.value);
  const output = shown(found, isRequest);
  return writeMembers([[found.source.key, messageKeys.has(found.source.key) ? answered(output) : output]]);
}

/** The output of a model, with the role assistant if none is given. */
function answered(messages: Tree): Tree {
  if (!Array.isArray(messages)) return messages;
  return messages.map((each) => {
    const isMessage = each instanceof Map && !each.has('role') && (each.has('content') || each.has('tool_calls'));
    return isMessage ? new Map<string, Tree>([['role', 'assistant'], ...each]) : each;
  });
}

function shown({ source, value }: Found, isRequest: boolean): Tree {
  if (messageKeys.has(source.key)) return chatMessages(value);
  return isRequest || source.key === 'ai.prompt' ? withMessages(value) : value;
}

/**
 * What a library wrote about a request, with its messages in the format of chat completions: it is a message, or
 * contains some.
 */
function withMessages(value: Tree): Tree {
  const payload = opened(value);
  if (Array.isArray(payload)) return areMessages(payload) ? chatMessages(payload) : value;
  if (!(payload instanceof Map)) return value;
  if (isMessage(payload)) {
    const messages = chatMessages([payload]) as Tree[]; // a list of messages is converted
    return messages.length === 1 ? messages[0]! : messages;
  }
  const messages = opened(payload.get('messages'));
  if (!Array.isArray(messages) || !areMessages(messages)) return value;
  return new Map([...payload, ['messages', chatMessages(messages)]]);
}

function areMessages(list: Tree[]): boolean {
  return list.length > 0 && list.every((each) => isMessage(opened(each)));
}

function isMessage(value: Tree | undefined): boolean {
  return value instanceof Map && typeof value.get('role') === 'string';
}

/** Instructions that are separate from the messages become their first message. */
function withInstructions(span: RawSpan, messages: Tree): Tree {
  if (!Array.isArray(messages) || !messages.every((each) => each instanceof Map && each.has('role'))) return messages;
  if (messages.some((each) => each instanceof Map && each.get('role') === 'system')) return messages;
  const found = findFirst(span, instructions);
  if (found === null) return messages;
  const parts = opened(found.value);
  const [system] = chatMessages([new Map([['content', Array.isArray(parts) ? parts : found.value]])]) as Map<
    string,
    Tree
  >[];
  const content = system?.get('content');
  return isTruthy(content)
    ? [
        new Map([
          ['role', 'system'],
          ['content', content!],
        ] as [string, Tree][]),
        ...messages,
      ]
    : messages;
}
