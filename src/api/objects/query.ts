import type { Context } from '../../context.ts';
import type { objsQuery } from '../../contract/objects/query.ts';
import { checkPage } from '../../domain/query/page.ts';
import type { Handler } from '../../http/bind.ts';
import { queryVersions } from '../../store/postgres/objects/query-versions.ts';
import { answerObjects } from './object-answer.ts';

export function queryObjects(
  context: Pick<Context, 'clickhouse' | 'postgres' | 'identity'>,
): Handler<typeof objsQuery> {
  return async ({ body, caller }) => {
    const projectId = await context.identity.projectForRead(caller, body.project_id);
    checkPage(body, 'a positive integer');
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
