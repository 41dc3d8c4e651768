import { defineEndpoint } from '../endpoint.ts';
import { chatCompletion, chatCompletionChunk } from './completion.ts';
import { chatRequest } from './request.ts';

export const chatCompletions = defineEndpoint({
  method: 'POST',
  path: '/v1/chat/completions',
  aliases: ['/v1/chat/completions/'],
  group: 'Chat',
  name: 'Create Chat Completion',
  description:
    'Answers a conversation with a served model, whole or, with `stream`, as server-sent events. The request is kept as ' +
    'a call in the project that the header `X-Heddle-Project` names (`entity/project`; without it the project of the ' +
    "model's name, else `default`), unless `X-Heddle-Trace` is `off`; as a turn of the thread that `X-Session-ID` names. " +
    '`X-Request-Id` and `X-Vllm-Priority` take precedence over the fields `request_id` and `priority`.',
  strictJson: true,
  keepsBytes: true,
  errors: 'vllm',
  body: chatRequest,
  answer: { kind: 'jsonOrEvents', schema: chatCompletion, event: chatCompletionChunk },
});
