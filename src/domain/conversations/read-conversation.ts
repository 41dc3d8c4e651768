import { type LosslessJson, type LosslessObject, parseLossless, stringifyLossless } from '../../util/json/lossless.ts';
import { type Answered, readAnswer } from './answers.ts';
import { type Conversation, type Message, message, textOf } from './conversation.ts';
import { type Asked, readRequest } from './requests.ts';
import { textAt } from './values.ts';

/** What a conversation is read from: payloads as they are stored. */
export type ConversationSource = {
  inputs: string;
  output: string;
  attributes: string;
  /** The span that it was made from; empty if there is none. */
  span: string;
  isEnded: boolean;
  exception: string;
};

/** The messages of a call, from whatever its sender wrote; null if it has none. Its payloads are parsed already. */
export function conversationIn(
  inputs: LosslessJson,
  output: LosslessJson,
  call: Pick<ConversationSource, 'attributes' | 'isEnded' | 'exception'>,
): Conversation | null {
  const asked = readRequest(inputs);
  if (asked === null) return null;
  const answered = readAnswer(output);
  if (!asked.isText) return { ...ofMessages(asked, answered, output, call), isChat: true };
  const kind = kindOf(call.attributes);
  if (!textKinds.has(kind)) return null;
  if (answered && !answered.isText) return { input: asked.messages, output: answered.messages, isChat: true };
  if (answered === null && !isNothing(output)) return null;
  return { input: asked.messages, output: answered?.messages ?? [], isChat: kind !== '' };
}

export function parsed(payload: string): LosslessJson {
  return payload === '' ? null : parseLossless(payload);
}

/** Kinds of calls from a text to a text that are conversations. A tool's arguments are none. */
const textKinds = new Set(['', 'llm', 'agent', 'chain', 'workflow']);

function kindOf(attributes: string): string {
  if (!attributes.includes('"kind"')) return '';
  return textAt(parsed(attributes) as LosslessObject, 'kind') ?? '';
}

function ofMessages(
  { messages }: Asked,
  answered: Answered | null,
  output: LosslessJson,
  { isEnded, exception }: Pick<ConversationSource, 'isEnded' | 'exception'>,
): Pick<Conversation, 'input' | 'output'> {
  if (answered) {
    const added = withoutShared(messages, answered.messages);
    return { input: withoutAnswer(messages, added), output: added };
  }
  if (!isNothing(output)) return { input: messages, output: [message('assistant', [{ type: 'json', value: output }])] };
  // Some senders write the answer to the end of what was asked.
  const count = isEnded && exception === '' ? messages.findLastIndex(({ role }) => role !== 'assistant') + 1 : 0;
  return count === 0
    ? { input: messages, output: [] }
    : { input: messages.slice(0, count), output: messages.slice(count) };
}

/** Graphs answer with all messages of their state: those that were sent are not part of the answer. */
function withoutShared(asked: Message[], answered: Message[]): Message[] {
  const isRepeated = answered.length > asked.length && asked.every((each, index) => isSame(each, answered[index]!));
  return isRepeated ? answered.slice(asked.length) : answered;
}

/** Agents report all messages as what was asked, the answer too. */
function withoutAnswer(asked: Message[], answered: Message[]): Message[] {
  const last = asked.at(-1);
  const isRepeated =
    last?.role === 'assistant' && answered.length === 1 && asked.length > 1 && textOf(last) === textOf(answered[0]!);
  return isRepeated ? asked.slice(0, -1) : asked;
}

function isSame(a: Message, b: Message): boolean {
  return a.role === b.role && textOf(a) === textOf(b);
}

function isNothing(output: LosslessJson): boolean {
  const text = output === null ? '' : stringifyLossless(output);
  return text === '' || text === '{}' || text === '[]' || text === '""';
}
