import type { UsageCall } from '../../../../domain/usage/usage-call.ts';
import type { ClickHouse } from '../../clickhouse.ts';
import { usageCallColumns } from '../sql/usage-column.ts';

export type RecentUsage = { projectId: string; call: UsageCall; isRepeated: boolean };

/**
 * The visible calls that were written in the last ten minutes before the server stopped, the newest of them, with the tokens
 * they report; the oldest first. Wide columns are read only of these.
 */
export async function findRecentUsage(clickhouse: ClickHouse, callsMax: number): Promise<RecentUsage[]> {
  const rows = await clickhouse.query<UsageCall & Omit<RecentUsage, 'call'>>(
    `SELECT project_id AS projectId, toBool(is_repeated) AS isRepeated, ${usageCallColumns}
     FROM calls
     WHERE (project_id, calls.started_at, id, version) IN (
       SELECT project_id, started_at, id, version FROM (
         SELECT project_id, started_at, id, version, is_started, is_deleted
         FROM calls
         WHERE version > (SELECT max(version) FROM calls) - 600000000
         ORDER BY version DESC
         LIMIT 1 BY project_id, id
         LIMIT {callsMax:UInt32}
       )
       WHERE is_started = 1 AND is_deleted = 0
     )
     ORDER BY version`,
    { callsMax },
  );
  return rows.map(({ projectId, isRepeated, ...call }) => ({ projectId, isRepeated, call }));
}
