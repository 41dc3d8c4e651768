import type { Context } from '../../context.ts';
import type * as contract from '../../contract/calls/query-stats.ts';
import type { Handler } from '../../http/bind.ts';
import { projectForRead } from '../project.ts';
import { soughtOf } from './sought.ts';

export function callsQueryStats(context: Context): Handler<typeof contract.callsQueryStats> {
  return async ({ body, caller }) => {
    const project = await projectForRead(context, caller, body.project_id);
    const { count, hasMore, totalStorageSizeBytes } = await context.services.calls.count({
      ...soughtOf(project, body),
      limit: body.limit,
      includeTotalStorageSize: body.include_total_storage_size,
      expansion: { caller, paths: body.expand_columns, returnsValues: false },
    });
    return { count, has_more: hasMore, total_storage_size_bytes: totalStorageSizeBytes };
  };
}
