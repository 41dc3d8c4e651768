import { defineEndpoint } from '../endpoint.ts';
import { group, path, uploadedFile, uploadedFileParams } from './uploaded-file.ts';

export const uploadedFileRead = defineEndpoint({
  method: 'GET',
  path: `${path}/{file_id}`,
  group,
  name: 'Retrieve File',
  description: 'Describes an uploaded file.',
  errors: 'openai',
  params: uploadedFileParams,
  answer: { kind: 'json', schema: uploadedFile },
});
