import type { Call } from '../../../api/calls.ts';
import type { Conversation, Message } from '../../../api/conversations.ts';
import { sourceField } from '../../../api/datasets.ts';
import { fieldText, valueAt } from '../../../features/call/field-paths.ts';
import { chatMessagesOf, chatToolsOf } from '../../../features/chat/chat-messages.ts';
import { recordOf } from '../../../format/json.ts';
import { recordOfEntries } from '../../../format/key-order.ts';
import { refOfCall } from '../../../refs.ts';

/** A call, and its messages if it is a chat. */
export type Source = { call: Call; chat: Conversation | null };

/** A column of a dataset, and the field of a call that fills it; an empty field leaves the column out. */
export type MappedColumn = { name: string; field: string };

/** Columns for a new dataset: the messages and the answer of chats, each input and the output of other calls. */
export function columnsOfCalls(sources: Source[]): MappedColumn[] {
  if (sources.every(({ chat }) => chat !== null)) {
    const hasTools = sources.some(({ chat }) => chat!.tools.length > 0);
    return [
      { name: 'messages', field: 'chat.messages' },
      ...(hasTools ? [{ name: 'tools', field: 'chat.tools' }] : []),
      { name: 'output', field: 'chat.answer' },
    ];
  }
  const calls = sources.map(({ call }) => call);
  const inputs = [...new Set(calls.flatMap(({ inputs }) => Object.keys(inputs)))];
  const taken = inputs.filter((name) => name !== 'self').slice(0, 30);
  return [
    ...taken.map((name) => ({ name, field: `inputs.${escaped(name)}` })),
    { name: taken.includes('output') ? 'call_output' : 'output', field: 'output' },
  ];
}

/** The columns of a dataset with the fields that fill them, where names say so. */
export function columnsOfDataset(names: string[], fields: string[]): MappedColumn[] {
  return names
    .filter((name) => name !== sourceField)
    .map((name) => {
      const ofChat = (field: ChatField) => (fields.includes(field) ? field : undefined);
      const isAnswer = /^(output|expected|answer|expected_output|target)$/.test(name);
      const isQuestion = /^(question|input|prompt|query)$/.test(name);
      const field =
        (name === 'messages' || name === 'tools' ? ofChat(`chat.${name}`) : undefined) ??
        fields.find((each) => each === `inputs.${escaped(name)}`) ??
        (isQuestion ? ofChat('chat.question') : isAnswer ? ofChat('chat.answer') : undefined) ??
        fields.find((each) => each === name) ??
        fields.find((each) => each.startsWith('output.') && each.endsWith(`.${escaped(name)}`)) ??
        (isAnswer ? 'output' : '');
      return { name, field };
    });
}

/** The fields that a column can be filled from. */
export function sourceFields(sources: Source[], leaves: string[]): string[] {
  const calls = sources.map(({ call }) => call);
  const ofChats = sources.some(({ chat }) => chat !== null) ? Object.keys(chatFields) : [];
  const inputs = calls.flatMap((call) => Object.keys(call.inputs).map((name) => `inputs.${escaped(name)}`));
  const outputs = calls.flatMap(({ output }) =>
    Array.isArray(output) ? [] : Object.keys(recordOf(output)).map((name) => `output.${escaped(name)}`),
  );
  return [...new Set([...ofChats, 'inputs', ...inputs, 'output', ...outputs, ...leaves])].slice(0, 200);
}

/** What keeps the columns from being used; null if nothing does. */
export function faultOf(columns: MappedColumn[]): string | null {
  const names = columns.filter(({ field }) => field !== '').map(({ name }) => name.trim());
  if (names.length === 0) return 'Choose a field for at least one column.';
  if (names.includes('')) return 'Name each column.';
  const twice = [...names, sourceField].find((name, index, all) => all.indexOf(name) !== index);
  return twice === undefined ? null : `Two columns are named ${twice}.`;
}

/** The row of a call, with its ref. */
export function rowOf(projectId: string, source: Source, columns: MappedColumn[]): Record<string, unknown> {
  const used = columns.filter(({ field }) => field !== '');
  const cells = used.map(({ name, field }) => [name.trim(), cellOf(source, field) ?? null] as const);
  return recordOfEntries([...cells, [sourceField, refOfCall(projectId, source.call.id)]]);
}

/** In words, what the chosen parts of chats contain that a row cannot. */
export function leftOf(sources: Source[], columns: MappedColumn[]): string[] {
  const left = sources.flatMap(({ chat }) =>
    columns.flatMap(({ field }) => {
      if (chat === null) return [];
      if (field === 'chat.messages') return chatMessagesOf(chat.input).left;
      return field === 'chat.answer' ? chatMessagesOf(chat.output).left : [];
    }),
  );
  return [...new Set(left)];
}

/** A field as the user chooses it. */
export function sourceTitle(field: string): string {
  return isChatField(field) ? chatFields[field].title : fieldText(field);
}

type ChatField = 'chat.messages' | 'chat.question' | 'chat.answer' | 'chat.tools';

/** What of a chat fills a column: messages as chat completions take them, texts where they are nothing else. */
const chatFields: Record<ChatField, { title: string; read: (chat: Conversation) => unknown }> = {
  'chat.messages': { title: 'Messages', read: ({ input }) => chatMessagesOf(input).messages },
  'chat.question': { title: 'Last message of the user', read: ({ input }) => questionOf(input) },
  'chat.answer': { title: 'Answer', read: ({ output }) => answerOf(output) },
  'chat.tools': { title: 'Tools', read: (chat) => (chat.tools.length > 0 ? chatToolsOf(chat) : null) },
};

function isChatField(field: string): field is ChatField {
  return Object.hasOwn(chatFields, field);
}

function cellOf({ call, chat }: Source, field: string): unknown {
  if (isChatField(field)) return chat ? chatFields[field].read(chat) : null;
  return valueAt(call, field);
}

function questionOf(input: Message[]): unknown {
  return chatMessagesOf(input).messages.findLast(({ role }) => role === 'user')?.content;
}

/** The text of an answer; what also calls tools, or is several messages, stays messages. */
function answerOf(output: Message[]): unknown {
  const { messages } = chatMessagesOf(output);
  const [first] = messages;
  if (messages.length > 1) return messages;
  return first && 'tool_calls' in first ? first : first?.content;
}

function escaped(name: string): string {
  return name.replaceAll('.', String.raw`\.`);
}
