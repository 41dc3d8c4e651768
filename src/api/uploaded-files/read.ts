import type { Context } from '../../context.ts';
import type { uploadedFileRead as endpoint } from '../../contract/uploaded-files/read.ts';
import type { Handler } from '../../http/bind.ts';
import { ownerForRead } from '../project.ts';
import { readFileId, uploadedFileAnswer } from './uploaded-file-answer.ts';

export function uploadedFileRead({
  identity,
  services: { uploadedFiles },
}: Pick<Context, 'identity' | 'services'>): Handler<typeof endpoint> {
  return async (input) => {
    const projectId = (await ownerForRead({ identity }, input)).project.id;
    return uploadedFileAnswer(await uploadedFiles.read(projectId, readFileId(input.params.file_id)));
  };
}
