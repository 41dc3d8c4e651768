import { isObject, ownMember } from '../../util/json/own-member.ts';
import { callIdIn, callIdInRef, callIdsOfLine } from '../training/line-calls.ts';

/** The texts of a suite's row, as they are compared with training data. */
export type SuiteTexts = {
  /** Of its messages, then of its other columns. */
  texts: string[];
  /** What the row asks, if that is one text. */
  question: string | null;
  /** The calls that the row was made from. */
  callIds: string[];
};

const questionColumns = ['question', 'input', 'prompt', 'query', 'instruction', 'problem', 'task'];

/** @param threadColumn names the thread, and is not compared */
export function suiteTextsOf(row: unknown, threadColumn: string | null): SuiteTexts {
  if (!isObject(row)) return { texts: stringsIn(row), question: null, callIds: [] };
  const messages = messagesIn(row);
  const callIds: string[] = [];
  const others: string[] = [];
  for (const [column, value] of Object.entries(row)) {
    if (column === threadColumn || idColumns.has(column) || areMessages(value)) continue;
    if (messages !== null && isObject(value) && messagesIn(value) !== null) continue;
    if (column === 'tools') continue;
    const call = callIdInRef(value);
    if (call !== null) callIds.push(call);
    else others.push(...stringsIn(value));
  }
  const asked = messages === null ? questionOfColumns(row) : onlyQuestion(messages);
  return { texts: [...(messages ?? []).flatMap(textsOfMessage), ...others], question: asked, callIds };
}

/** A row of training data: chats that are trained on together, such as the histories of a trajectory. */
export type TrainingTexts = { chats: string[][]; callIds: string[]; fields: unknown };

/**
 * A line of the data of a job, of any kind. Answers of trajectories are left out: the model that is trained wrote them.
 * @returns null for a line that has no messages
 */
export function trainingTextsOf(line: unknown): TrainingTexts | null {
  if (!isObject(line)) return null;
  const trajectory = ownMember(line, 'trajectory');
  if (isObject(trajectory)) return trajectoryTexts(trajectory);
  const input = ownMember(line, 'input');
  if (isObject(input) && Array.isArray(input.messages)) {
    const answers = [ownMember(line, 'preferred_output'), ownMember(line, 'non_preferred_output')];
    const prompt = input.messages as unknown[];
    const messages = answers.map((answer) => (Array.isArray(answer) ? (answer as unknown[]) : []));
    const chats = messages.map((answer) => [...prompt, ...answer].flatMap(textsOfMessage));
    return { chats, callIds: [...callIdsOfLine(line), ...messages.flat().flatMap(callIdIn)], fields: line };
  }
  const messages = ownMember(line, 'messages') ?? ownMember(line, 'messages_and_choices');
  if (!Array.isArray(messages)) return null;
  const chat = messages.map((each) => ownMember(each, 'message') ?? each).flatMap(textsOfMessage);
  return { chats: [chat], callIds: [...callIdsOfLine(line), ...messages.flatMap(callIdIn)], fields: line };
}

function trajectoryTexts(trajectory: Record<string, unknown>): TrainingTexts {
  const more = ownMember(trajectory, 'additional_histories');
  const histories = [trajectory, ...(Array.isArray(more) ? more : [])].flatMap((each) => {
    const messages = ownMember(each, 'messages_and_choices');
    return Array.isArray(messages) ? [messages as unknown[]] : [];
  });
  return {
    chats: histories.map((messages) =>
      messages.filter((each) => !isObject(ownMember(each, 'message'))).flatMap(textsOfMessage),
    ),
    callIds: histories.flat().flatMap(callIdIn),
    fields: ownMember(trajectory, 'metadata'),
  };
}

/** The messages of a chat that a call recorded: those of its inputs, and its answer. */
export function messagesOfCall(inputs: unknown, output: unknown): unknown[] | null {
  const asked = messagesIn(inputs);
  if (asked === null) return null;
  const choices = ownMember(output, 'choices');
  const answers = Array.isArray(choices)
    ? choices.map((each) => ownMember(each, 'message'))
    : areMessages(output)
      ? output.slice(-1)
      : isMessage(output)
        ? [output]
        : (messagesIn(output)?.slice(-1) ?? []);
  return [...asked, ...answers];
}

/** Fields that identify a row, and are not what a model reads. */
const idColumns = new Set(['id', 'trace_id', 'thread_id', 'user_id', 'call_id', 'user']);

/** The messages of a row: below a column, or below `messages` of one. */
function messagesIn(row: unknown): unknown[] | null {
  if (areMessages(row)) return row;
  if (!isObject(row)) return null;
  if (areMessages(row.messages)) return row.messages;
  for (const value of Object.values(row)) {
    if (areMessages(value)) return value;
    if (isObject(value) && areMessages(value.messages)) return value.messages;
  }
  return null;
}

function areMessages(value: unknown): value is unknown[] {
  return Array.isArray(value) && value.length > 0 && value.every(isMessage);
}

function isMessage(value: unknown): value is Record<string, unknown> {
  return isObject(value) && typeof value.role === 'string';
}

/** What a message says: its content, and the arguments of its tool calls. */
function textsOfMessage(message: unknown): string[] {
  if (!isObject(message)) return [];
  const parts = Array.isArray(message.content) ? message.content : [message.content];
  const text = parts
    .map((part) => (typeof part === 'string' ? part : (ownMember(part, 'text') ?? ownMember(part, 'content'))))
    .filter((part) => typeof part === 'string')
    .join('\n');
  const calls = Array.isArray(message.tool_calls) ? message.tool_calls : [];
  const given = calls.map((call) => ownMember(ownMember(call, 'function'), 'arguments'));
  return [text, ...given].filter((each): each is string => typeof each === 'string' && each !== '');
}

function onlyQuestion(messages: readonly unknown[]): string | null {
  const asked = messages.filter((each) => ownMember(each, 'role') === 'user');
  return asked.length === 1 ? (textsOfMessage(asked[0])[0] ?? null) : null;
}

function questionOfColumns(row: Record<string, unknown>): string | null {
  const values = questionColumns.map((column) => ownMember(row, column));
  return values.find((value): value is string => typeof value === 'string' && value !== '') ?? null;
}

function stringsIn(value: unknown): string[] {
  if (typeof value === 'string') return value === '' ? [] : [value];
  if (Array.isArray(value)) return value.flatMap(stringsIn);
  return isObject(value) ? Object.values(value).flatMap(stringsIn) : [];
}
