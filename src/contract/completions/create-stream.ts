import { defineEndpoint } from '../endpoint.ts';
import { completionLine, completionsBody } from './completion.ts';

export const completionsCreateStream = defineEndpoint({
  method: 'POST',
  path: '/completions/create_stream',
  group: 'Completions',
  name: 'Completions Create Stream',
  description:
    'Streams the completion as JSON lines: first `{"_meta": {…}}` with the ids of the call if it is recorded, then chunks in ' +
    'OpenAI\'s format. If the model fails, the last line is `{"error": "…"}`.',
  keepsBytes: true,
  body: completionsBody,
  answer: { kind: 'lines', schema: completionLine, mediaType: 'application/jsonl' },
});
