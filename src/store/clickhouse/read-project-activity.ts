import type { ClickHouse } from './clickhouse.ts';
import { SqlParams } from './query/sql-params.ts';

/** What happened in a project: when its last trace started, and the traces and failed traces of each day. */
export type Activity = { projectId: string; lastTraceAt: number; traces: number[]; errors: number[] };

/** Reads the activity of projects since a time in microseconds, in days of UTC. Projects without traces are left out. */
export async function readActivity(
  clickhouse: ClickHouse,
  { projectIds, since, days }: { projectIds: string[]; since: number; days: number },
): Promise<Activity[]> {
  if (projectIds.length === 0) return [];
  const params = new SqlParams();
  const isRecent = `started_at >= ${params.time(since)}`;
  const day = `dateDiff('day', ${params.time(since)}, started_at)`;
  return clickhouse.query<Activity>(
    `SELECT
       project_id AS projectId,
       toUnixTimestamp64Micro(max(started_at)) AS lastTraceAt,
       ${countsSql(days, (i) => `${isRecent} AND ${day} = ${i}`)} AS traces,
       ${countsSql(days, (i) => `${isRecent} AND ${day} = ${i} AND exception != ''`)} AS errors
     FROM calls FINAL
     WHERE project_id IN ${params.strings(projectIds)} AND is_started = 1 AND parent_id = ''
     GROUP BY project_id`,
    params.values,
  );
}

function countsSql(count: number, condition: (index: number) => string): string {
  return `[${Array.from({ length: count }, (_, i) => `countIf(${condition(i)})`).join(', ')}]`;
}
