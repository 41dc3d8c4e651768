import type { Call } from '../../api/calls.ts';
import { type Conversation, conversationOf, type Message } from '../../components/chat/messages.ts';
import { recordOf } from '../../format/call.ts';
import { writeJson } from '../../format/json.ts';

/** What a turn adds to a conversation. Chats are sent with all messages before: those were shown with their own turns. */
export type TurnMessages = { earlier: Message[]; added: Conversation };

/** The messages of a turn after the turn before it; null if the call has no messages. */
export function turnMessages(call: Call, before: Call | null): TurnMessages | null {
  const conversation = messagesOf(call);
  if (conversation === null) return null;
  const { asked, answered } = conversation;
  const known = before && messagesOf(before);
  const count = known ? sharedCount(asked, [...known.asked, ...known.answered]) : 0;
  return { earlier: asked.slice(0, count), added: { asked: asked.slice(count), answered } };
}

/** A chat, or a call from a text to a text. */
function messagesOf({ inputs, output }: Call): Conversation | null {
  return conversationOf(inputs, output) ?? textsOf(inputs, output);
}

function textsOf(inputs: unknown, output: unknown): Conversation | null {
  const given = Object.entries(recordOf(inputs)).filter(
    ([name, value]) => name !== 'self' && value !== null && value !== undefined,
  );
  const [first] = given;
  const isText = given.length === 1 && typeof first![1] === 'string';
  if (!isText || (output != null && typeof output !== 'string')) return null;
  const answered = typeof output === 'string' ? [textMessage('output', output)] : [];
  return { asked: [textMessage(first![0], first![1] as string)], answered };
}

function textMessage(role: string, text: string): Message {
  return { role, name: null, parts: [{ kind: 'text', text }] };
}

/** How many messages at the beginning are the same. The last one always belongs to the turn itself. */
function sharedCount(messages: Message[], known: Message[]): number {
  const last = Math.min(messages.length - 1, known.length);
  for (let index = 0; index < last; index++) if (!isSame(messages[index]!, known[index]!)) return index;
  return Math.max(0, last);
}

/** Reasoning is in an answer, but clients do not send it back. */
function isSame(a: Message, b: Message): boolean {
  return a.role === b.role && writeJson(withoutReasoning(a)) === writeJson(withoutReasoning(b));
}

function withoutReasoning({ parts }: Message): Message['parts'] {
  return parts.filter(({ kind }) => kind !== 'reasoning');
}
