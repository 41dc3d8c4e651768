import type { Context } from '../../context.ts';
import type { scoreDelete as endpoint } from '../../contract/scores/delete.ts';
import type { Handler } from '../../http/bind.ts';
import { ownerForRead } from '../project.ts';

export function scoreDelete(context: Pick<Context, 'identity' | 'services'>): Handler<typeof endpoint> {
  const { calls } = context.services;
  return async (input) => {
    const { project } = await ownerForRead(context, input);
    return { num_deleted: await calls.delete(project.id, input.query.score_ids) };
  };
}
