import { z } from 'zod';
import { defineEndpoint } from '../endpoint.ts';
import { group, path, uploadedFile, uploadPurposes } from './uploaded-file.ts';

export const uploadedFileCreate = defineEndpoint({
  method: 'POST',
  path,
  group,
  name: 'Upload File',
  description:
    'Stores a file in a project, as OpenAI does: that of the header `X-Heddle-Project`, or `default`. ' +
    '`expires_after[anchor]` is `created_at`, and `expires_after[seconds]` is from 3600 to 2592000.',
  errors: 'openai',
  multipart: true,
  streamsFile: true,
  body: z.object({
    file: z.string().meta({ format: 'binary' }),
    purpose: z.enum(uploadPurposes),
    'expires_after[anchor]': z.literal('created_at').optional(),
    'expires_after[seconds]': z.string().optional(),
  }),
  answer: { kind: 'json', schema: uploadedFile },
});
