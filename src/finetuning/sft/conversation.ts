import { z } from 'zod';
import type { ChatMessage } from '../../chat/templates/messages.ts';
import type { GroupKey } from '../../domain/suites/group-keys.ts';
import { callIdIn, callIdsOfLine } from '../../domain/training/line-calls.ts';
import { invalidInput } from '../../util/failures.ts';
import { ownMember } from '../../util/json/own-member.ts';
import { isEmpty, messageList, toolList } from './message.ts';
import { misspelledKey } from './misspelled-key.ts';
import { parseLine } from './read-line.ts';

/** A line of training data. */
export type Conversation = {
  messages: ChatMessage[];
  tools: unknown[] | null;
  /** The calls that recorded it, where it comes from traces. */
  callIds: string[];
  /** Conversations that share one are held out together. */
  splitKeys: GroupKey[];
};

const line = z.looseObject({
  messages: messageList.optional(),
  // Older layouts write trajectories, with choices among the messages.
  messages_and_choices: z.preprocess(withoutChoices, messageList.optional()),
  tools: toolList,
  split_keys: z.array(z.string()).nullish().catch(null),
});

/** @throws Failure with a description of the problem */
export function readConversation(text: string): Conversation {
  const value = parseLine(text);
  const parsed = line.safeParse(value);
  if (!parsed.success) throw invalidInput(describe(parsed.error.issues[0]!), { param: 'messages' });
  const { messages = parsed.data.messages_and_choices, tools } = parsed.data;
  checkKeys(value as object, messages ?? null); // the schema takes only objects
  if (!messages) throw invalidInput(`it has no messages${foundKeys(value as object)}`, { param: 'messages' });
  if (!messages.some(isAnswer))
    throw invalidInput('it has no message of the role assistant to learn', { param: 'messages' });
  const splitKeys = (parsed.data.split_keys ?? []) as GroupKey[];
  return { messages, tools: tools ?? null, callIds: callIdsOfChat(value), splitKeys };
}

/** The calls of a line with messages or choices, of which each can have a call. */
function callIdsOfChat(line: unknown): string[] {
  const said = ownMember(line, 'messages') ?? ownMember(line, 'messages_and_choices');
  const ofMessages = Array.isArray(said) ? said.flatMap(callIdIn) : [];
  return [...new Set([...callIdsOfLine(line), ...ofMessages])];
}

/** Whether an assistant message is to be learned: `weight` 0 leaves it out, as in OpenAI's format. */
export function isAnswer({ role, weight }: ChatMessage): boolean {
  return role === 'assistant' && weight !== 0;
}

/**
 * Fields beside the messages are notes of the file's owner, unless they say what the model reads.
 * @throws Failure for those, and for names that are probably misspelled
 */
export function checkKeys(value: object, messages: readonly ChatMessage[] | null): void {
  const misspelled = misspelledKey(value, knownKeys);
  if (misspelled) throw invalidInput(`${misspelled.key}: ${misspelled.reason}`, { param: 'messages' });
  for (const [key, member] of Object.entries(value)) {
    const reason = isEmpty(member) || !Object.hasOwn(notRead, key) ? undefined : notRead[key];
    if (reason !== undefined) throw invalidInput(`${key}: ${reason}`, { param: 'messages' });
    if (messages && textKeys.includes(key) && typeof member === 'string' && !isSaid(member, messages)) {
      throw invalidInput(`${key}: no message has this text: write it as one of the messages`, { param: 'messages' });
    }
  }
}

const notRead: Record<string, string> = {
  functions: 'write them as tools: functions are not shown to the model',
  documents: 'write them into the messages: documents are not shown to the model',
  history: 'write it as messages: history is not shown to the model',
  chat_template: 'the template of the model is used',
  chat_template_kwargs: 'the template of the model is used without values of a line',
  images: 'images cannot be trained',
  videos: 'videos cannot be trained',
  audios: 'audios cannot be trained',
};

/** Data sets repeat texts of their messages in these fields; in other formats they are not in the messages. */
const textKeys = ['system', 'system_prompt', 'prompt', 'instruction', 'completion', 'response'];

function isSaid(text: string, messages: readonly ChatMessage[]): boolean {
  const wanted = text.trim();
  return messages.some(({ content }) => {
    const texts = Array.isArray(content)
      ? content.map((part) => (part as { text?: unknown } | null)?.text ?? part)
      : [content];
    return texts.some((each) => typeof each === 'string' && each.includes(wanted));
  });
}

const knownKeys = ['messages', 'messages_and_choices', 'tools'];

function foundKeys(value: object): string {
  const keys = Object.keys(value).join(', ');
  return keys === '' ? '' : ` (found ${keys.slice(0, 200)})`;
}

function withoutChoices(elements: unknown): unknown {
  if (!Array.isArray(elements)) return elements;
  return elements.map((element) => (element as { message?: unknown } | null)?.message ?? element);
}

export function describe({ path, message: reason, code, ...issue }: z.core.$ZodIssue): string {
  // For a union, the errors of the option that matched best.
  const inner = code === 'invalid_union' ? (issue as { errors?: z.core.$ZodIssue[][] }).errors?.at(-1)?.[0] : undefined;
  const place = [...path, ...(inner?.path ?? [])].join('.');
  const what = reason === 'Invalid input' && inner ? inner.message : reason;
  return place === '' ? `it is not an object: ${what}` : `${place}: ${what}`;
}
