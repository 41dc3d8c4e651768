import type { FoundCall } from '../../../domain/calls/found-call.ts';
import type { ClickHouse } from '../clickhouse.ts';
import { foundCallColumns, storageSizeSql } from './found-call-sql.ts';
import { withTraceSizes } from './storage-sizes.ts';

export type CallRead = {
  projectId: string;
  id: string;
  includeStorageSize: boolean;
  includeTotalStorageSize: boolean;
};

/** One call, null where there is none, it is deleted, or only its end has arrived. */
export async function readCall(clickhouse: ClickHouse, read: CallRead): Promise<FoundCall | null> {
  const { projectId, id } = read;
  const calls = await clickhouse.query<FoundCall>(
    `SELECT ${foundCallColumns(null, read.includeStorageSize)}
     FROM (
       SELECT *, ${storageSizeSql} AS storageSizeBytes
       FROM calls
       WHERE project_id = {projectId:String} AND id = {id:String}
       ORDER BY version DESC
       LIMIT 1 BY started_at, id
     )
     WHERE is_started = 1 AND is_deleted = 0
     LIMIT 1`,
    { projectId, id },
  );
  const [call] = read.includeTotalStorageSize ? await withTraceSizes(clickhouse, projectId, calls) : calls;
  return call ?? null;
}
