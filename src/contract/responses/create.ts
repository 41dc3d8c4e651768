import { defineEndpoint } from '../endpoint.ts';
import { responseEvent } from './events.ts';
import { responseRequest } from './request.ts';
import { response } from './response.ts';

export const responseCreate = defineEndpoint({
  method: 'POST',
  path: '/v1/responses',
  aliases: ['/v1/responses/'],
  group: 'Responses',
  name: 'Create Response',
  description:
    'Answers a conversation with a served model, whole or, with `stream`, as server-sent events. `input` is a text or items: ' +
    'messages, function calls, their outputs, reasoning. With `previous_response_id` it follows the conversation of a stored ' +
    'response. The request is kept as a call, and headers are read, as for `/v1/chat/completions`; with `store` (the ' +
    'default) the response can be retrieved until its call is deleted. Tools that a server would run, such as web search, ' +
    'are refused.',
  strictJson: true,
  keepsBytes: true,
  errors: 'openai',
  body: responseRequest,
  answer: { kind: 'jsonOrEvents', schema: response, event: responseEvent },
});
