import { z } from 'zod';
import { defineEndpoint } from '../endpoint.ts';
import { text } from '../wire.ts';

export const fileContent = defineEndpoint({
  method: 'POST',
  path: '/file/content',
  aliases: ['/files/content'],
  group: 'Files',
  name: 'File Content',
  description: 'Answers the bytes of a file.',
  body: z.object({ project_id: z.string(), digest: text() }).meta({ id: 'FileContentReadReq' }),
  answer: { kind: 'bytes' },
});
