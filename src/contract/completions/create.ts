import { defineEndpoint } from '../endpoint.ts';
import { completionAnswer, completionsBody } from './completion.ts';

export const completionsCreate = defineEndpoint({
  method: 'POST',
  path: '/completions/create',
  group: 'Completions',
  name: 'Completions Create',
  description:
    'Chats with a model of heddle, of a well-known provider (`openai/gpt-4o`) or of a published `Provider` ' +
    '(`custom::PROVIDER::MODEL`), and records the call unless `track_llm_call` is false. If the model fails, the ' +
    'status is 200 and `response` is `{"error": "…"}`.',
  keepsBytes: true,
  body: completionsBody,
  answer: { kind: 'json', schema: completionAnswer },
});
