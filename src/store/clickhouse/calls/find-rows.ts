import type { CallRow } from '../../../domain/calls/call-row.ts';
import type { ClickHouse } from '../clickhouse.ts';
import { rowColumns } from './call-row.ts';

/** The newest version of each call of these ids, hidden ones included: what the write side goes on from. */
export async function findRows(clickhouse: ClickHouse, projectId: string, ids: string[]): Promise<CallRow[]> {
  return clickhouse.query<CallRow>(
    `SELECT ${Object.values(rowColumns).join(', ')}
     FROM calls
     WHERE project_id = {projectId:String} AND id IN {ids:Array(String)}
     ORDER BY version DESC
     LIMIT 1 BY id`,
    { projectId, ids },
  );
}
