import type { ClickHouse } from '../clickhouse.ts';
import { SqlParams } from '../query/sql-params.ts';

export type TrialSpan = { trialId: string; traceId: string; spanId: string };

/** The spans of agents that were made inside these trials: of each trace the one that started first. */
export async function findTrialSpans(
  clickhouse: ClickHouse,
  { projectId, trialIds }: { projectId: string; trialIds: string[] },
): Promise<TrialSpan[]> {
  const found: TrialSpan[] = [];
  for (let start = 0; start < trialIds.length; start += trialsAtATime) {
    const params = new SqlParams();
    const rows = await clickhouse.query<TrialSpan>(
      `SELECT trial_id AS trialId, trace_id AS traceId, argMin(span_id, (started_at, parent_id != '', span_id)) AS spanId
       FROM agent_spans
       WHERE project_id = ${params.string(projectId)} AND trial_id IN ${params.strings(trialIds.slice(start, start + trialsAtATime))}
       GROUP BY trial_id, trace_id
       ORDER BY trialId, min(started_at), traceId`,
      params.values,
    );
    for (const row of rows) found.push(row);
  }
  return found;
}

const trialsAtATime = 10_000;
