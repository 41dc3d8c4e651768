import { z } from 'zod';
import { defineEndpoint } from '../endpoint.ts';
import { group, path, uploadedFileParams } from './uploaded-file.ts';

export const uploadedFileDelete = defineEndpoint({
  method: 'DELETE',
  path: `${path}/{file_id}`,
  group,
  name: 'Delete File',
  description: 'Deletes an uploaded file. Jobs that use it have their own copy.',
  errors: 'openai',
  params: uploadedFileParams,
  answer: {
    kind: 'json',
    schema: z
      .object({ id: z.string(), object: z.literal('file'), deleted: z.literal(true) })
      .meta({ id: 'OpenAIFileDeleted' }),
  },
});
