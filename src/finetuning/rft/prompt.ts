import { z } from 'zod';
import type { ChatMessage } from '../../chat/templates/messages.ts';
import { callIdsOfLine } from '../../domain/training/line-calls.ts';
import { invalidInput } from '../../util/failures.ts';
import { parsePlain } from '../../util/json/parse.ts';
import { describe } from '../sft/conversation.ts';
import { messageList, toolList } from '../sft/message.ts';
import { parseLine } from '../sft/read-line.ts';

/** A line of data: a prompt, and further fields that graders compare answers with. */
export type GradedPrompt = {
  messages: ChatMessage[];
  tools: unknown[] | null;
  /** The whole line. */
  item: Record<string, unknown>;
  /** The calls that it came from, as far as they are known. */
  callIds: string[];
};

const line = z.looseObject({
  messages: messageList.refine((messages) => messages.at(-1)!.role !== 'assistant', {
    error: 'the last message is the answer that the model should give: leave it out',
  }),
  tools: toolList,
});

/** @throws Failure with a description of the problem */
export function readPrompt(text: string): GradedPrompt {
  const parsed = line.safeParse(parseLine(text));
  if (!parsed.success) throw invalidInput(describe(parsed.error.issues[0]!), { param: 'messages' });
  const { messages, tools } = parsed.data;
  const item: Record<string, unknown> = parsePlain(text);
  return { messages, tools: tools ?? null, item, callIds: callIdsOfLine(item) };
}
