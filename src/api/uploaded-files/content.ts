import type { Context } from '../../context.ts';
import type { uploadedFileContent as endpoint } from '../../contract/uploaded-files/content.ts';
import type { Handler } from '../../http/bind.ts';
import { openAiProject } from '../openai-project.ts';
import { readFileId } from './uploaded-file-answer.ts';

export function uploadedFileContent({
  identity,
  services: { uploadedFiles },
}: Pick<Context, 'identity' | 'services'>): Handler<typeof endpoint> {
  return async (input) => {
    const projectId = await openAiProject(identity, input, 'read');
    return uploadedFiles.open(projectId, readFileId(input.params.file_id));
  };
}
