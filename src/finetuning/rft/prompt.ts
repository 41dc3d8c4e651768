import { z } from 'zod';
import { BadRequest } from '../../chat/bad-request.ts';
import type { ChatMessage } from '../../chat/templates/messages.ts';
import { describe, messageList, parseLine, toolList } from '../sft/conversation.ts';

/** A line of data: a prompt, and further fields that graders compare answers with. */
export type GradedPrompt = {
  messages: ChatMessage[];
  tools: unknown[] | null;
  /** The whole line. */
  item: Record<string, unknown>;
};

const line = z.looseObject({
  messages: messageList.refine((messages) => messages.at(-1)!.role !== 'assistant', {
    error: 'the last message is the answer that the model should give: leave it out',
  }),
  tools: toolList,
});

/** @throws BadRequest with a description of the problem */
export function readPrompt(text: string): GradedPrompt {
  const value = parseLine(text);
  const parsed = line.safeParse(value);
  if (!parsed.success) throw new BadRequest(describe(parsed.error.issues[0]!), 'messages');
  const { messages, tools } = parsed.data;
  return { messages, tools: tools ?? null, item: value as Record<string, unknown> }; // the schema takes only objects
}
