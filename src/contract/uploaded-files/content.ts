import { defineEndpoint } from '../endpoint.ts';
import { group, path, uploadedFileParams } from './uploaded-file.ts';

export const uploadedFileContent = defineEndpoint({
  method: 'GET',
  path: `${path}/{file_id}/content`,
  group,
  name: 'Retrieve File Content',
  description: 'Returns the bytes of an uploaded file, or the part of them that the header `Range` asks for.',
  errors: 'openai',
  params: uploadedFileParams,
  answer: { kind: 'download' },
});
