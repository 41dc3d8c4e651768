import type { Context } from '../../context.ts';
import type * as contract from '../../contract/objects/query.ts';
import type { VersionsFilter } from '../../domain/objects/versions-filter.ts';
import { checkPage } from '../../domain/query/page.ts';
import type { Handler, Input } from '../../http/bind.ts';
import { answerObject } from './object-answer.ts';

export function objsQuery({ identity, services: { objects } }: Context): Handler<typeof contract.objsQuery> {
  return async ({ body, caller }) => {
    const { project_id: project, filter, limit, offset } = body;
    const projectId = await identity.projectForRead(caller, project);
    checkPage(body, 'a positive integer');
    const query = { projectId, filter: filter && versionsFilter(filter), limit, offset, sortBy: body.sort_by ?? [] };
    const withLabels = body.include_tags_and_aliases ?? false;
    const found = await objects.list(query, { caller, withValues: !body.metadata_only, withLabels });
    const withSize = body.include_storage_size ?? false;
    return { objs: found.map((object) => answerObject(object, { project, withSize })) };
  };
}

type Body = Input<typeof contract.objsQuery>['body'];

function versionsFilter({ is_op: isOp, ...filter }: NonNullable<Body['filter']>): VersionsFilter {
  return {
    kind: isOp === null ? null : isOp ? 'op' : 'object',
    objectIds: filter.object_ids,
    baseClasses: filter.base_object_classes,
    excludedBaseClasses: filter.exclude_base_object_classes,
    leafClasses: filter.leaf_object_classes,
    tags: filter.tags,
    aliases: filter.aliases,
    isLatest: filter.latest_only,
  };
}
