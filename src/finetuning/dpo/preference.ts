import { z } from 'zod';
import type { ChatMessage } from '../../chat/templates/messages.ts';
import { callIdIn, callIdsOfLine } from '../../domain/training/line-calls.ts';
import { invalidInput } from '../../util/failures.ts';
import { ownMember } from '../../util/json/own-member.ts';
import { type Conversation, checkKeys, describe } from '../sft/conversation.ts';
import { messageList, toolList } from '../sft/message.ts';
import { parseLine } from '../sft/read-line.ts';

/** A line of preference data, in OpenAI's format: a conversation, and two ways to go on. */
export type Preference = {
  messages: ChatMessage[];
  tools: Conversation['tools'];
  preferred: ChatMessage[];
  other: ChatMessage[];
  calls: PairCall[];
};

/** A call that a pair came from. Its answer is made more probable, with the weight 1, or less, with −1. */
type PairCall = { callId: string; weight: 1 | -1 };

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
  const value = parseLine(text);
  const parsed = line.safeParse(value);
  if (!parsed.success) throw invalidInput(describe(parsed.error.issues[0]!), { param: 'input' });
  const { input, preferred_output: preferred, non_preferred_output: other } = parsed.data;
  const { input: _, preferred_output: __, non_preferred_output: ___, ...rest } = parsed.data;
  checkKeys({ ...rest, ...input }, input.messages);
  return { messages: input.messages, tools: input.tools ?? null, preferred, other, calls: callsOf(value) };
}

/** The line can have calls, and each of its answers. */
function callsOf(value: unknown): PairCall[] {
  const ofAnswers = (field: string, weight: PairCall['weight']) => {
    const messages = ownMember(value, field) as unknown[]; // the schema takes only lists
    return messages.flatMap(callIdIn).map((callId) => ({ callId, weight }));
  };
  const calls = [
    ...callIdsOfLine(value).map((callId) => ({ callId, weight: 1 as const })),
    ...ofAnswers('non_preferred_output', -1),
    ...ofAnswers('preferred_output', 1),
  ];
  return [...new Map(calls.map((call) => [call.callId, call])).values()];
}
