import type { Context } from '../../context.ts';
import type { uploadedFileDelete as endpoint } from '../../contract/uploaded-files/delete.ts';
import type { Handler } from '../../http/bind.ts';
import { ownerForRead } from '../project.ts';
import { readFileId } from './uploaded-file-answer.ts';

export function uploadedFileDelete({
  identity,
  services: { uploadedFiles },
}: Pick<Context, 'identity' | 'services'>): Handler<typeof endpoint> {
  return async (input) => {
    const projectId = (await ownerForRead({ identity }, input)).project.id;
    await uploadedFiles.delete(projectId, readFileId(input.params.file_id));
    return { id: input.params.file_id, object: 'file', deleted: true };
  };
}
