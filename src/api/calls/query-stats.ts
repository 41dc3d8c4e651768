import type { Context } from '../../context.ts';
import type { callsQueryStats } from '../../contract/calls/query-stats.ts';
import type { Handler } from '../../http/bind.ts';
import { countCalls } from '../../store/clickhouse/calls/count-calls.ts';
import { expansionOf, selectionOf } from './selection.ts';
import { throughQueues } from '../../services/calls/through-queues.ts';

export function showCallStats(context: Context): Handler<typeof callsQueryStats> {
  return async ({ body, caller }) => {
    const projectId = await context.identity.projectForRead(caller, body.project_id);
    const { count, hasMore, totalStorageSizeBytes } = await countCalls(context.clickhouse, {
      ...(await throughQueues(context, selectionOf(projectId, body))),
      limit: body.limit,
      includeTotalStorageSize: body.include_total_storage_size ?? false,
      expansion: expansionOf(context, caller, body.expand_columns, false),
    });
    return { count, has_more: hasMore, total_storage_size_bytes: totalStorageSizeBytes };
  };
}
