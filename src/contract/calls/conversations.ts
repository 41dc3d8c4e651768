import { z } from 'zod';
import { defineEndpoint } from '../endpoint.ts';
import { anyJson, bool, int, optional, text } from '../wire.ts';

const media = z
  .object({
    type: z.enum(['image', 'audio', 'video', 'file']),
    url: optional(z.string()),
    mime_type: optional(z.string()),
    name: optional(z.string()),
    digest: optional(z.string()),
    bytes: optional(int()),
  })
  .meta({ id: 'ConversationMedia' });

const part = z
  .union([
    z.object({ type: z.enum(['text', 'reasoning', 'refusal']), text: z.string() }),
    media,
    z.object({ type: z.literal('tool_call'), id: optional(z.string()), name: z.string(), arguments: anyJson() }),
    z.object({
      type: z.literal('tool_result'),
      id: optional(z.string()),
      name: optional(z.string()),
      result: anyJson(),
    }),
    z.object({ type: z.literal('json'), value: anyJson() }),
  ])
  .meta({ id: 'ConversationPart' });

const message = z
  .object({ role: z.string(), name: optional(z.string()), choice: optional(int()), parts: z.array(part) })
  .meta({ id: 'ConversationMessage' });

const tool = z
  .object({ name: z.string(), description: optional(z.string()), parameters: anyJson() })
  .meta({ id: 'ConversationTool' });

/** What is read from a payload that may be a conversation. */
export const callConversation = {
  conversation: z
    .object({ input: z.array(message), output: z.array(message), is_chat: bool(), tools: z.array(tool) })
    .nullable()
    .meta({ id: 'Conversation' }),
  media: z.array(z.object({ path: z.array(z.union([z.string(), int()])), media })),
};

/** More would be as large as a list of calls, which is read page by page. */
const callsMax = 200;

export const callsConversations = defineEndpoint({
  method: 'POST',
  path: '/calls/conversations',
  group: 'Calls',
  name: 'Calls Conversations',
  description:
    'Reads the messages of calls in one form, whatever convention or SDK their payloads are written in: one JSON object a ' +
    'line, for each call that exists. `conversation` is null if a call has no messages. `is_chat` is false if a call only ' +
    'turns one text into another. `media` lists the images, sounds and files in the payloads that the conversation does ' +
    `not contain. At most ${callsMax} calls.`,
  body: z
    .object({ project_id: z.string(), call_ids: z.array(text()).max(callsMax) })
    .meta({ id: 'CallsConversationsReq' }),
  answer: {
    kind: 'lines',
    schema: z.object({ id: z.string(), ...callConversation }).meta({ id: 'CallsConversationsRes' }),
    mediaType: 'application/jsonl',
  },
});
