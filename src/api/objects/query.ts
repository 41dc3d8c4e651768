import type { Context } from '../../context.ts';
import { badRequest } from '../../contract/errors.ts';
import type { objsQuery } from '../../contract/objects/query.ts';
import type { Handler } from '../../http/bind.ts';
import { queryVersions } from '../../store/postgres/objects/query-versions.ts';
import { answerObjects } from './object-answer.ts';

export function queryObjects(
  context: Pick<Context, 'clickhouse' | 'postgres' | 'identity'>,
): Handler<typeof objsQuery> {
  return async ({ body, caller }) => {
    const projectId = await context.identity.projectForRead(caller, body.project_id);
    checkPage(body);
    const { filter, limit, offset } = body;
    const versions = await queryVersions(context.postgres, {
      projectId,
      filter,
      limit,
      offset,
      sortBy: body.sort_by ?? [],
    });
    const objs = await answerObjects(context, versions, {
      project: body.project_id,
      caller,
      metadataOnly: body.metadata_only ?? false,
      withSize: body.include_storage_size ?? false,
      withLabels: body.include_tags_and_aliases ?? false,
    });
    return { objs };
  };
}

/** @throws ApiError 400 for a limit or an offset below 0. */
export function checkPage({ limit, offset }: { limit: number | null; offset: number | null }): void {
  if (limit !== null && limit < 0) throw badRequest('Limit must be a positive integer');
  if (offset !== null && offset < 0) throw badRequest('Offset must be a positive integer');
}
