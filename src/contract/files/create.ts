import { z } from 'zod';
import { defineEndpoint } from '../endpoint.ts';
import { optional } from '../wire.ts';

export const fileCreate = defineEndpoint({
  method: 'POST',
  takesData: true,
  path: '/file/create',
  aliases: ['/files/create'],
  group: 'Files',
  name: 'File Create',
  description: 'Stores the bytes of one file. They are known by their digest; the name of the part is kept beside.',
  multipart: true,
  body: z.object({
    project_id: z.string(),
    file: z.string().meta({ format: 'binary' }),
    expected_digest: optional(z.string()),
  }),
  answer: { kind: 'json', schema: z.object({ digest: z.string() }).meta({ id: 'FileCreateRes' }) },
});
