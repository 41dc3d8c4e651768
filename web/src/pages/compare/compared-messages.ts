import { parametersOf } from '../../api/call-fields.ts';
import type { Call } from '../../api/calls.ts';
import type { Conversation, Message } from '../../api/conversations.ts';
import { alignMessages, type MessageRow, messageKey, roleOf } from '../../features/chat/align-messages.ts';
import { isNumber, recordOf } from '../../format/json.ts';
import { type ComparedRow, type ComparedSection, rowsMax, section } from './compared-rows.ts';

/** Messages beside each other. */
type MessagesRow = { key: string; name: string; messages: MessageRow; isDifferent: boolean };

export type ConversationRow = ComparedRow | MessagesRow;

/** What was asked and answered, message by message, and with which settings. */
export function conversationSections(
  calls: (Call | null)[],
  conversations: (Conversation | null)[],
): ComparedSection<ConversationRow>[] {
  const messages = (title: string, read: (conversation: Conversation) => Message[]) =>
    messageSection(
      title,
      calls,
      conversations.map((each) => (each ? read(each) : [])),
    );
  const answer = messages('Answer', ({ output }) => output);
  const failures = section('Answer', calls, ({ exception }) => (exception ? { exception } : {})).rows;
  const failed = failures.filter(({ name }) => name === 'exception');
  return [
    section('Settings', calls, (call, index) => settingsOf(call, conversations[index] ?? null)),
    messages('Messages', ({ input }) => input),
    { ...answer, rows: [...failed, ...answer.rows] },
  ].filter(({ rows, title }) => rows.length > 0 || title !== 'Settings');
}

function messageSection(title: string, calls: (Call | null)[], lists: Message[][]): ComparedSection<MessagesRow> {
  const rows = alignMessages(lists).map((messages, index): MessagesRow => {
    const compared = messages.filter((_, column) => calls[column] !== null);
    const isDifferent = new Set(compared.map((message) => (message ? messageKey(message) : null))).size > 1;
    return { key: `${title} ${index}`, name: roleOf(messages), messages, isDifferent };
  });
  return { title, rows: rows.slice(0, rowsMax), isCut: rows.length > rowsMax };
}

/** The parameters of a request that are not messages: the model, numbers, and the names of tools. */
function settingsOf(call: Call, conversation: Conversation | null): Record<string, unknown> {
  const parameters = Object.entries(parametersOf(call)).filter(
    ([name, value]) => isNumber(value) || typeof value === 'boolean' || (typeof value === 'string' && name === 'model'),
  );
  const formats = Object.entries(recordOf(call.inputs)).filter(([name]) => settingNames.has(name));
  const tools = (conversation?.tools ?? []).map(({ name }) => name).join(', ');
  return { ...Object.fromEntries([...parameters, ...formats]), ...(tools === '' ? {} : { tools }) };
}

/** Settings that are no numbers. */
const settingNames = new Set(['stop', 'stop_sequences', 'response_format', 'tool_choice', 'reasoning_effort']);
