import { z } from 'zod';
import { callConversation } from '../calls/conversations.ts';
import { defineEndpoint } from '../endpoint.ts';
import { text } from '../wire.ts';

export const objConversation = defineEndpoint({
  method: 'POST',
  path: '/obj/conversation',
  group: 'Objects',
  name: 'Obj Conversation',
  description:
    'Reads the messages of a prompt in the form of `/calls/conversations`, whatever format they were published in. ' +
    '`conversation` is null for other objects; `media` lists the images, sounds and files in them.',
  body: z.object({ project_id: z.string(), object_id: text(), digest: text() }).meta({ id: 'ObjConversationReq' }),
  answer: { kind: 'json', schema: z.object(callConversation).meta({ id: 'ObjConversationRes' }) },
});
