import { defineEndpoint } from '../endpoint.ts';
import { textCompletion, textCompletionChunk } from './completion.ts';
import { textCompletionRequest } from './request.ts';

export const textCompletionCreate = defineEndpoint({
  method: 'POST',
  path: '/v1/completions',
  aliases: ['/v1/completions/'],
  group: 'Chat',
  name: 'Create Completion',
  description:
    'Continues a prompt with a served model, without a chat template; whole or, with `stream`, as server-sent events. ' +
    '`prompt` is a text, token ids, or a list of either, and each of the prompts has `n` choices. The request is kept as a ' +
    'call, and headers are read, as for `/v1/chat/completions`.',
  strictJson: true,
  keepsBytes: true,
  errors: 'openai',
  body: textCompletionRequest,
  answer: { kind: 'jsonOrEvents', schema: textCompletion, event: textCompletionChunk },
});
