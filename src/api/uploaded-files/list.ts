import type { Context } from '../../context.ts';
import type { uploadedFileList as endpoint } from '../../contract/uploaded-files/list.ts';
import type { Handler } from '../../http/bind.ts';
import { limitWithNext, openAiPage } from '../openai-page.ts';
import { ownerForRead } from '../project.ts';
import { readFileId, uploadedFileAnswer } from './uploaded-file-answer.ts';

export function uploadedFileList({
  identity,
  services: { uploadedFiles },
}: Pick<Context, 'identity' | 'services'>): Handler<typeof endpoint> {
  return async (input) => {
    const projectId = (await ownerForRead({ identity }, input)).project.id;
    const { limit, order, purpose } = input.query;
    const after = input.query.after && readFileId(input.query.after, 'after');
    const found = await uploadedFiles.page({ projectId, order, purpose, after, limit: limitWithNext(limit) });
    return openAiPage(found.map(uploadedFileAnswer), limit);
  };
}
