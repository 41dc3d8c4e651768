import type { Context } from '../../context.ts';
import type { tableQueryStats } from '../../contract/tables/query-stats.ts';
import type { Handler } from '../../http/bind.ts';
import { findTable } from '../../store/clickhouse/tables/find-table.ts';

export function countTable({
  identity,
  clickhouse,
}: Pick<Context, 'identity' | 'clickhouse'>): Handler<typeof tableQueryStats> {
  return async ({ body, caller }) => {
    const projectId = await identity.projectForRead(caller, body.project_id);
    const table = await findTable(clickhouse, { projectId, digest: body.digest });
    return { count: table?.count ?? 0 };
  };
}
