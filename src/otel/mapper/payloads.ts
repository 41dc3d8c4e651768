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

/** On a request to a model its messages lead over what a framework wrote about it. */
function find(
  span: RawSpan,
  kind: Kind | null,
  messages: readonly NamedSource[],
  others: readonly NamedSource[],
): Found | null {
  return (isRequestToModel(kind) ? findFirst(span, messages) : null) ?? findFirst(span, others);
}

/** The value under the key it was found at; of a generic key an object stands for itself. Null when there is none. */
export function inputsOf(span: RawSpan, found: Found | null): string | null {
  if (found === null) return null;
  if (found.source.isWhole && opened(found.value) instanceof Map) return writeTree(found.value);
  return writeMembers([[found.source.key, withInstructions(span, shown(found))]]);
}

/** As the inputs, but of a generic key every value stands for itself. */
export function outputOf(found: Found | null): string | null {
  if (found === null) return null;
  return found.source.isWhole ? writeTree(found.value) : writeMembers([[found.source.key, shown(found)]]);
}

function shown({ source, value }: Found): Tree {
  if (messageKeys.has(source.key)) return chatMessages(value);
  if (source.key !== 'ai.prompt') return value;
  const prompt = opened(value);
  const messages = prompt instanceof Map ? prompt.get('messages') : undefined;
  return messages === undefined
    ? value
    : new Map([...(prompt as Map<string, Tree>), ['messages', chatMessages(messages)]]);
}

/** Instructions that come apart from the messages are their first message. */
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
