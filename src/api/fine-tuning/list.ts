import type { Context } from '../../context.ts';
import { badRequest } from '../../contract/errors.ts';
import type { fineTuningJobList as endpoint } from '../../contract/fine-tuning/list.ts';
import type { Handler } from '../../http/bind.ts';
import { limitWithNext, openAiPage } from '../openai-page.ts';
import { ownerForRead } from '../project.ts';
import { fineTuningJobAnswer, readJobId } from './fine-tuning-job-answer.ts';

export function fineTuningJobList({
  identity,
  services,
}: Pick<Context, 'identity' | 'services'>): Handler<typeof endpoint> {
  return async (input) => {
    const projectId = (await ownerForRead({ identity }, input)).project.id;
    const { after, limit, ...others } = input.query;
    const page = { after: after && readJobId(after, 'after'), limit: limitWithNext(limit), ...metadataOf(others) };
    return openAiPage((await services.fineTuning.list(projectId, page)).map(fineTuningJobAnswer), limit);
  };
}

/** `metadata[key]=value`, or `metadata=null`. */
function metadataOf(query: Record<string, unknown>): { metadata?: Record<string, string> | null } {
  const pairs = Object.entries(query).flatMap(([name, value]): [string, string][] => {
    const key = /^metadata\[(.*)\]$/s.exec(name)?.[1];
    return key !== undefined && typeof value === 'string' ? [[key, value]] : [];
  });
  if (pairs.flat().some((text) => text.includes('\0'))) throw badRequest('metadata should not contain U+0000.');
  if (query.metadata === 'null' && pairs.length === 0) return { metadata: null };
  return pairs.length === 0 ? {} : { metadata: Object.fromEntries(pairs) };
}
