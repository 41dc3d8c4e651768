import type { Micros } from '../../../domain/calls/call-row.ts';
import type { CallUsage } from '../../../domain/usage/call-usage.ts';
import { countedUsageColumn } from '../calls/sql/usage-column.ts';
import type { ClickHouse } from '../clickhouse.ts';
import { SqlParams } from '../query/sql-params.ts';
import { isScoreSql, isTrialSql, newestSql, opLabelSql, spanRefsSql } from './trial-sql.ts';

/** A call inside a trial: of the model or of a scorer. */
export type TrialChild = {
  id: string;
  trialId: string;
  opLabel: string;
  isScore: boolean;
  /** Whether it is a call of the model, or looks like one. */
  isPredict: boolean;
  startedAt: Micros;
  endedAt: Micros | null;
  spanRefs: string;
  usage: CallUsage[];
};

export type Source = {
  projectId: string;
  evaluationIds: string[];
  /** The refs of the models that were evaluated. */
  models: string[];
};

/** The calls right below these trials, the oldest first. */
export async function findTrialChildren(
  clickhouse: ClickHouse,
  { trialIds, ...source }: Source & { trialIds: string[] },
): Promise<TrialChild[]> {
  const found: TrialChild[] = [];
  for (let start = 0; start < trialIds.length; start += trialsAtATime) {
    const params = new SqlParams();
    const some = params.strings(trialIds.slice(start, start + trialsAtATime));
    const { scope, inTraces, isPredict } = sourceSql(source, params);
    const select = `
      id, parent_id AS trialId, ${opLabelSql} AS opLabel, toBool(${isScoreSql}) AS isScore, toBool(${isPredict}) AS isPredict,
      toUnixTimestamp64Micro(started_at) AS startedAt, toUnixTimestamp64Micro(ended_at) AS endedAt,
      ${spanRefsSql} AS spanRefs, ${countedUsageColumn}`;
    const rows = await clickhouse.query<TrialChild>(
      `SELECT id, trialId, opLabel, isScore, isPredict, startedAt, endedAt, spanRefs, usage
       FROM (${newestSql(select, scope, `${inTraces} AND parent_id IN ${some}`)})
       ORDER BY startedAt, id`,
      params.values,
    );
    for (const row of rows) found.push(row);
  }
  return found;
}

const trialsAtATime = 10_000;

/** What the model's call used in each trial that has one which reports tokens. */
export function findPredictUsage(
  clickhouse: ClickHouse,
  source: Source,
): Promise<Pick<TrialChild, 'trialId' | 'startedAt' | 'usage'>[]> {
  const params = new SqlParams();
  const { scope, trials, inTraces, isPredict } = sourceSql(source, params);
  const select = `id, parent_id AS trialId, toUnixTimestamp64Micro(started_at) AS startedAt, ${countedUsageColumn}`;
  const where = `${inTraces} AND parent_id IN (SELECT id FROM (${trials})) AND ${isPredict}`;
  return clickhouse.query(
    `SELECT trialId, startedAt, usage
     FROM (SELECT * FROM (${newestSql(select, scope, where)}) ORDER BY startedAt, id LIMIT 1 BY trialId)
     WHERE notEmpty(usage)`,
    params.values,
  );
}

/** The SQL of what finds the calls inside trials. */
export function sourceSql({ projectId, evaluationIds, models }: Source, params: SqlParams) {
  const project = `project_id = ${params.string(projectId)}`;
  const evaluations = params.strings(evaluationIds);
  const trials = `SELECT id, trace_id FROM calls WHERE ${project} AND parent_id IN ${evaluations} AND ${isTrialSql}`;
  const evaluated = params.strings(models);
  // Most calls of scorers are ruled out before their payloads are parsed.
  const isOfModel = `(hasAny(input_refs, ${evaluated}) AND JSONExtractString(inputs, 'self') IN ${evaluated})`;
  const isPredict = `(match(lower(${opLabelSql}), 'predict|invoke') OR op_name IN ${evaluated} OR ${isOfModel}) AND NOT ${isScoreSql}`;
  const inTraces = `trace_id IN (SELECT DISTINCT trace_id FROM (${trials}))`;
  return { scope: { project, evaluations }, trials, inTraces, isPredict };
}
