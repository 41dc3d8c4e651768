import type { Context } from '../../context.ts';
import type { uploadedFileContent as endpoint } from '../../contract/uploaded-files/content.ts';
import type { Handler } from '../../http/bind.ts';
import { ownerForRead } from '../project.ts';
import { readFileId } from './uploaded-file-answer.ts';

export function uploadedFileContent({
  identity,
  services: { uploadedFiles },
}: Pick<Context, 'identity' | 'services'>): Handler<typeof endpoint> {
  return async (input) => {
    const projectId = (await ownerForRead({ identity }, input)).project.id;
    return uploadedFiles.download(projectId, readFileId(input.params.file_id));
  };
}
