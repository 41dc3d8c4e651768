import { defineEndpoint } from '../endpoint.ts';
import { group, path, uploadedFileParams } from './uploaded-file.ts';

export const uploadedFileContent = defineEndpoint({
  method: 'GET',
  path: `${path}/{file_id}/content`,
  group,
  name: 'Retrieve File Content',
  description: 'Returns the bytes of an uploaded file.',
  errors: 'openai',
  params: uploadedFileParams,
  answer: { kind: 'bytes' },
});
