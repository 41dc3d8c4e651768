import type { Micros } from '../../../domain/calls/call-row.ts';
import type { CallUsage } from '../../../domain/usage/call-usage.ts';
import { countedUsageColumn } from '../calls/sql/usage-column.ts';
import type { ClickHouse } from '../clickhouse.ts';
import { SqlParams } from '../query/sql-params.ts';
import { newestSql, spanRefsSql } from './trial-sql.ts';

/** What an answer shows of a trial beside its scores. */
export type TrialDetails = { id: string; output: string; spanRefs: string; usage: CallUsage[]; startedAt: Micros };

/** The outputs of these trials, by their ids. */
export async function findTrialDetails(
  clickhouse: ClickHouse,
  { projectId, evaluationIds, ids }: { projectId: string; evaluationIds: string[]; ids: string[] },
): Promise<Map<string, TrialDetails>> {
  const found = new Map<string, TrialDetails>();
  for (let start = 0; start < ids.length; start += idsAtATime) {
    const params = new SqlParams();
    const select = `id, output, ${spanRefsSql} AS spanRefs, ${countedUsageColumn}, toUnixTimestamp64Micro(started_at) AS startedAt`;
    const project = `project_id = ${params.string(projectId)}`;
    const wanted = `id IN ${params.strings(ids.slice(start, start + idsAtATime))}`;
    const where = `parent_id IN ${params.strings(evaluationIds)} AND ${wanted}`;
    const rows = await clickhouse.query<TrialDetails>(
      `SELECT id, output, spanRefs, usage, startedAt FROM (${newestSql(select, project, where)})`,
      params.values,
    );
    for (const row of rows) found.set(row.id, row);
  }
  return found;
}

const idsAtATime = 2000;
