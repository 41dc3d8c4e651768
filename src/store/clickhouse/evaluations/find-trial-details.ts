import type { Micros } from '../../../domain/calls/call-row.ts';
import type { CallUsage } from '../../../domain/usage/call-usage.ts';
import { countedUsageColumn } from '../calls/sql/usage-column.ts';
import type { ClickHouse } from '../clickhouse.ts';
import { SqlParams } from '../query/sql-params.ts';
import { newestSql, spanRefsSql } from './trial-sql.ts';

/** What an answer shows of a trial beside its scores. */
export type TrialDetails = {
  id: string;
  output: string /** What was tried: a row, or the ref of one. */;
  example: string;
  spanRefs: string;
  usage: CallUsage[];
  startedAt: Micros;
};

/** The outputs of these trials, by their ids. */
export async function findTrialDetails(
  clickhouse: ClickHouse,
  { projectId, evaluationIds, ids }: { projectId: string; evaluationIds: string[]; ids: string[] },
): Promise<Map<string, TrialDetails>> {
  const found = new Map<string, TrialDetails>();
  for (let start = 0; start < ids.length; start += idsAtATime) {
    const params = new SqlParams();
    const select = `id, output, JSONExtractRaw(inputs, 'example') AS example, ${spanRefsSql} AS spanRefs, ${countedUsageColumn}, toUnixTimestamp64Micro(started_at) AS startedAt`;
    const project = `project_id = ${params.string(projectId)}`;
    const wanted = `id IN ${params.strings(ids.slice(start, start + idsAtATime))}`;
    const evaluations = params.strings(evaluationIds);
    const where = `parent_id IN ${evaluations} AND ${wanted}`;
    const rows = await clickhouse.query<TrialDetails>(
      `SELECT id, output, example, spanRefs, usage, startedAt FROM (${newestSql(select, { project, evaluations }, where)})`,
      params.values,
    );
    for (const row of rows) found.set(row.id, row);
  }
  return found;
}

const idsAtATime = 10_000;
