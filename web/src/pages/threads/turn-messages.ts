import type { Conversation, Message, MessagePart } from '../../api/conversations.ts';

/** What a turn adds to a conversation. Chats are sent with all messages before: those were shown with their own turns. */
export type TurnMessages = { earlier: Message[]; added: Pick<Conversation, 'input' | 'output'> };

/** The messages of a turn after the turn before it; null if the call has no messages. */
export function turnMessages(conversation: Conversation | null, before: Conversation | null): TurnMessages | null {
  if (conversation === null) return null;
  const { input, output } = conversation;
  const count = before ? sharedCount(input, [...before.input, ...before.output]) : 0;
  return { earlier: input.slice(0, count), added: { input: input.slice(count), output } };
}

/** How many messages at the beginning are the same. The last one always belongs to the turn itself. */
function sharedCount(messages: Message[], known: Message[]): number {
  const last = Math.min(messages.length - 1, known.length);
  for (let index = 0; index < last; index++) if (!isSame(messages[index]!, known[index]!)) return index;
  return Math.max(0, last);
}

/** Reasoning is in an answer, but clients do not send it back. */
function isSame(a: Message, b: Message): boolean {
  const [first, second] = [saidIn(a), saidIn(b)];
  return a.role === b.role && first.length === second.length && first.every((said, index) => said === second[index]);
}

function saidIn({ parts }: Message): string[] {
  return parts.filter(({ type }) => type !== 'reasoning').map((part) => `${part.type} ${said(part)}`);
}

/** What tells parts of one kind apart. */
function said(part: MessagePart): string {
  switch (part.type) {
    case 'text':
    case 'refusal':
    case 'reasoning':
      return part.text;
    case 'tool_call':
    case 'tool_result':
      return `${part.name} ${part.id}`;
    case 'json':
      return '';
    default:
      return part.digest ?? part.url ?? '';
  }
}
