import type { Context } from '../../context.ts';
import type * as contract from '../../contract/objects/query.ts';
import { checkPage } from '../../domain/query/page.ts';
import type { Handler } from '../../http/bind.ts';
import { answerObject } from './object-answer.ts';

export function objsQuery({ identity, services: { objects } }: Context): Handler<typeof contract.objsQuery> {
  return async ({ body, caller }) => {
    const { project_id: project, filter, limit, offset } = body;
    const projectId = await identity.projectForRead(caller, project);
    checkPage(body, 'a positive integer');
    const query = { projectId, filter, limit, offset, sortBy: body.sort_by ?? [] };
    const withLabels = body.include_tags_and_aliases ?? false;
    const found = await objects.list(query, { caller, withValues: !body.metadata_only, withLabels });
    const withSize = body.include_storage_size ?? false;
    return { objs: found.map((object) => answerObject(object, { project, withSize })) };
  };
}
