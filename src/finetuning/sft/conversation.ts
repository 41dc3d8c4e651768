import { z } from 'zod';
import { BadRequest } from '../../chat/bad-request.ts';
import type { ChatMessage } from '../../chat/templates/messages.ts';

/** A line of training data. */
export type Conversation = {
  messages: ChatMessage[];
  tools: unknown[] | null;
  /** The call that recorded it, where it comes from a trace. */
  callId: string | null;
};

const args = z.union([
  z.record(z.string(), z.unknown()),
  z.string().refine(isArguments, 'expected the JSON text of an object'),
]);

const message = z.looseObject({
  role: z.string('expected a string'),
  content: z
    .union([z.string(), z.array(z.unknown()), z.null()], 'expected a string, a list of parts or null')
    .optional(),
  tool_calls: z
    .array(
      z.looseObject({ function: z.looseObject({ name: z.string('expected a string'), arguments: args.nullish() }) }),
    )
    .nullish(),
  weight: z.union([z.literal(0), z.literal(1)], 'expected 0 or 1').nullish(),
});

export const messageList = z.array(message, 'expected a list of messages').min(1, 'the list is empty');
export const toolList = z.array(z.looseObject({}, 'expected an object'), 'expected a list').nullish();

const line = z.looseObject({
  messages: messageList.optional(),
  // Older layouts write trajectories, with choices among the messages.
  messages_and_choices: z.preprocess(withoutChoices, messageList.optional()),
  tools: toolList,
  call_id: z.string().nullish().catch(null),
});

/** @throws BadRequest with a description of the problem */
export function readConversation(text: string): Conversation {
  const parsed = line.safeParse(parseLine(text));
  if (!parsed.success) throw new BadRequest(describe(parsed.error.issues[0]!), 'messages');
  const { messages = parsed.data.messages_and_choices, tools, call_id: callId } = parsed.data;
  if (!messages) throw new BadRequest('it has no messages', 'messages');
  if (!messages.some(isAnswer)) throw new BadRequest('it has no message of the role assistant to learn', 'messages');
  return { messages, tools: tools ?? null, callId: callId ?? null };
}

/** Whether an assistant message is to be learned: `weight` 0 leaves it out, as in OpenAI's format. */
export function isAnswer({ role, weight }: ChatMessage): boolean {
  return role === 'assistant' && weight !== 0;
}

export function parseLine(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new BadRequest(`it is not JSON: ${(error as Error).message}`, 'messages');
  }
}

function withoutChoices(elements: unknown): unknown {
  if (!Array.isArray(elements)) return elements;
  return elements.map((element) => (element as { message?: unknown } | null)?.message ?? element);
}

function isArguments(text: string): boolean {
  if (text === '') return true;
  try {
    const value = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value);
  } catch {
    return false;
  }
}

export function describe({ path, message: reason, code, ...issue }: z.core.$ZodIssue): string {
  // For a union, the errors of the option that matched best.
  const inner = code === 'invalid_union' ? (issue as { errors?: z.core.$ZodIssue[][] }).errors?.at(-1)?.[0] : undefined;
  const place = [...path, ...(inner?.path ?? [])].join('.');
  const what = reason === 'Invalid input' && inner ? inner.message : reason;
  return place === '' ? `it is not an object: ${what}` : `${place}: ${what}`;
}
