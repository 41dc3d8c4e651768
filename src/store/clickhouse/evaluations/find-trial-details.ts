import type { Micros } from '../../../domain/calls/call-row.ts';
import type { CallUsage } from '../../../domain/usage/call-usage.ts';
import { usageColumn } from '../calls/usage-column.ts';
import type { ClickHouse } from '../clickhouse.ts';
import { SqlParams } from '../query/sql-params.ts';
import { isScoreSql, isTrialSql, newestSql, opLabelSql } from './trial-sql.ts';

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
    const select = `id, output, ${spanRefsSql} AS spanRefs, ${usageColumn}, toUnixTimestamp64Micro(started_at) AS startedAt`;
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
const spanRefsSql = `if(JSONHas(attributes, 'weave', 'genai_span_ref'),
  JSONExtractRaw(attributes, 'weave', 'genai_span_ref'), JSONExtractRaw(summary, 'weave', 'genai_span_ref'))`;

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

/**
 * The calls right below trials, the oldest first; with `trialIds` only of those, with `onlyPredict` only those that may be
 * of the model. `models` are the refs of the models that were evaluated.
 */
export async function findTrialChildren(
  clickhouse: ClickHouse,
  {
    projectId,
    evaluationIds,
    models,
    trialIds = null,
    onlyPredict = false,
  }: {
    projectId: string;
    evaluationIds: string[];
    models: string[];
    trialIds?: string[] | null;
    onlyPredict?: boolean;
  },
): Promise<TrialChild[]> {
  const params = new SqlParams();
  const project = `project_id = ${params.string(projectId)}`;
  const trials = `SELECT id, trace_id FROM calls WHERE ${project} AND parent_id IN ${params.strings(evaluationIds)} AND ${isTrialSql}`;
  const some = trialIds ? `parent_id IN ${params.strings(trialIds)}` : `parent_id IN (SELECT id FROM (${trials}))`;
  const isPredict = `(NOT ${isScoreSql} AND (
    match(lower(${opLabelSql}), 'predict|invoke') OR op_name IN ${params.strings(models)}
    OR JSONExtractString(inputs, 'self') IN ${params.strings(models)}))`;
  const select = `
    id, parent_id AS trialId, ${opLabelSql} AS opLabel, toBool(${isScoreSql}) AS isScore, toBool(${isPredict}) AS isPredict,
    toUnixTimestamp64Micro(started_at) AS startedAt, toUnixTimestamp64Micro(ended_at) AS endedAt,
    ${spanRefsSql} AS spanRefs, ${usageColumn}`;
  const where = [`trace_id IN (SELECT trace_id FROM (${trials}))`, some, ...(onlyPredict ? [isPredict] : [])];
  return clickhouse.query<TrialChild>(
    `SELECT id, trialId, opLabel, isScore, isPredict, startedAt, endedAt, spanRefs, usage
     FROM (${newestSql(select, project, where.join(' AND '))})
     ORDER BY startedAt, id ${onlyPredict ? 'LIMIT 1 BY trialId' : ''}`,
    params.values,
  );
}
