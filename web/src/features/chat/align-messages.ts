import type { Message, MessagePart } from '../../api/conversations.ts';
import { diffLines } from '../../components/diff/line-diff.ts';
import { comparable } from '../../format/json.ts';

/** Messages that belong beside each other: one of each conversation, undefined where a conversation has none. */
export type MessageRow = (Message | undefined)[];

/**
 * Puts the messages of conversations beside each other: equal ones first, and between them those of the same role in their
 * order. Each conversation is aligned with all before it.
 */
export function alignMessages([first = [], ...others]: Message[][]): MessageRow[] {
  let rows: MessageRow[] = first.map((message) => [message]);
  for (const [index, messages] of others.entries()) rows = withColumn(rows, messages, index + 1);
  return rows;
}

function withColumn(rows: MessageRow[], messages: Message[], column: number): MessageRow[] {
  const result: MessageRow[] = [];
  const [oldRows, newMessages] = [[...rows], [...messages]];
  const keys = rows.map((row) => messageKey(row.find((message) => message !== undefined)!));
  let only: { rows: MessageRow[]; messages: Message[] } = { rows: [], messages: [] };
  const endBlock = () => {
    result.push(...paired(only.rows, only.messages, column));
    only = { rows: [], messages: [] };
  };
  for (const { kind } of diffLines(keys, messages.map(messageKey))) {
    if (kind === 'removed') only.rows.push(oldRows.shift()!);
    else if (kind === 'added') only.messages.push(newMessages.shift()!);
    else {
      endBlock();
      result.push([...oldRows.shift()!, newMessages.shift()!]);
    }
  }
  endBlock();
  return result;
}

/** Messages take the next row of their role. The others get rows of their own. */
function paired(rows: MessageRow[], messages: Message[], column: number): MessageRow[] {
  const result: MessageRow[] = [];
  let next = 0;
  for (const message of messages) {
    const found = rows.findIndex((row, index) => index >= next && roleOf(row) === message.role);
    if (found === -1) result.push([...Array<undefined>(column).fill(undefined), message]);
    else {
      for (; next < found; next++) result.push([...rows[next]!, undefined]);
      result.push([...rows[next++]!, message]);
    }
  }
  return [...result, ...rows.slice(next).map((row) => [...row, undefined])];
}

/** The role of a row: its messages have the same one. */
export function roleOf(row: MessageRow): string {
  return row.find((message) => message !== undefined)?.role ?? '';
}

/** A text that is equal for messages that say the same. Ids of tool calls are different each time. */
export function messageKey({ role, name, parts }: Message): string {
  return comparable([role, name, parts.map(withoutId)]);
}

function withoutId(part: MessagePart): object {
  return 'id' in part ? { ...part, id: null } : part;
}
