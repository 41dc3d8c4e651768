import { z } from 'zod';
import type { ChatMessage } from '../../chat/templates/messages.ts';
import { invalidInput } from '../../util/failures.ts';
import { type Conversation, checkKeys, describe } from '../sft/conversation.ts';
import { messageList, toolList } from '../sft/message.ts';
import { parseLine } from '../sft/read-line.ts';

/** A line of preference data, in OpenAI's format: a conversation, and two ways to go on. */
export type Preference = {
  messages: ChatMessage[];
  tools: Conversation['tools'];
  preferred: ChatMessage[];
  other: ChatMessage[];
};

const answers = messageList.refine((messages) => messages.every(({ role }) => role === 'assistant'), {
  error: 'expected only messages of the role assistant',
});

const line = z.looseObject({
  input: z.looseObject({ messages: messageList, tools: toolList }, 'expected an object with messages'),
  preferred_output: answers,
  non_preferred_output: answers,
});

/** @throws Failure with a description of the problem */
export function readPreference(text: string): Preference {
  const parsed = line.safeParse(parseLine(text));
  if (!parsed.success) throw invalidInput(describe(parsed.error.issues[0]!), { param: 'input' });
  const { input, preferred_output: preferred, non_preferred_output: other } = parsed.data;
  const { input: _, preferred_output: __, non_preferred_output: ___, ...rest } = parsed.data;
  checkKeys({ ...rest, ...input }, input.messages);
  return { messages: input.messages, tools: input.tools ?? null, preferred, other };
}
