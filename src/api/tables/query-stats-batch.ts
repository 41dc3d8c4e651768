import type { Context } from '../../context.ts';
import type { tableQueryStatsBatch } from '../../contract/tables/query-stats-batch.ts';
import type { Handler } from '../../http/bind.ts';
import { readTableStats } from '../../store/clickhouse/tables/table-stats.ts';

export function countTables({
  identity,
  clickhouse,
}: Pick<Context, 'identity' | 'clickhouse'>): Handler<typeof tableQueryStatsBatch> {
  return async ({ body, caller }) => {
    const projectId = await identity.projectForRead(caller, body.project_id);
    const digests = [...new Set(body.digests ?? [])];
    const withSizes = body.include_storage_size ?? false;
    const stats = await readTableStats(clickhouse, { projectId, digests, withSizes });
    const tables = stats.map(({ digest, count, sizeBytes }) => ({ count, digest, storage_size_bytes: sizeBytes }));
    return { tables };
  };
}
