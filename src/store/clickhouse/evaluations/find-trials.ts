import type { Micros } from '../../../domain/calls/call-row.ts';
import type { TrialSource } from '../../../domain/evaluations/missing-score.ts';
import type { ResultField } from '../../../domain/evaluations/results/field.ts';
import type { ClickHouse } from '../clickhouse.ts';
import { SqlParams } from '../query/sql-params.ts';
import { isTrialSql, newestSql, rowDigestSql, trialSourceSql } from './trial-sql.ts';

/** A call of `Evaluation.predict_and_score`, without what may be large of it. Texts are JSON, and empty where nothing is there. */
export type TrialRow = {
  id: string;
  evaluationId: string;
  startedAt: Micros;
  /** The digest of the row of a dataset that was tried. */
  rowDigest: string;
  /** The row itself, where it is in no dataset. */
  inlineRow: string;
  source: TrialSource;
  hasEnded: boolean;
  scores: string;
  /** The values at the fields asked for, in their order. */
  values: string[];
};

/** At most `limit` trials of these evaluations, with the values of `fields` of their inputs and outputs. */
export function findTrials(
  clickhouse: ClickHouse,
  {
    projectId,
    evaluationIds,
    fields,
    limit,
  }: { projectId: string; evaluationIds: string[]; fields: ResultField[]; limit: number },
): Promise<TrialRow[]> {
  const params = new SqlParams();
  const values = fields.map(({ root, path }) => {
    const steps = (root === 'inputs' ? ['example', ...path] : path).map((step) => params.string(step));
    return `JSONExtractRaw(${root === 'inputs' ? 'inputs' : 'output'}, ${steps.join(', ')})`;
  });
  const select = `
    id, parent_id AS evaluationId, toUnixTimestamp64Micro(started_at) AS startedAt,
    ${rowDigestSql} AS rowDigest, if(rowDigest = '', JSONExtractRaw(inputs, 'example'), '') AS inlineRow,
    ${trialSourceSql} AS source, toBool(isNotNull(ended_at)) AS hasEnded,
    JSONExtractRaw(output, 'scores') AS scores, ${values.length > 0 ? `[${values.join(', ')}]` : '[]::Array(String)'} AS values`;
  const project = `project_id = ${params.string(projectId)}`;
  const evaluations = params.strings(evaluationIds);
  const where = `parent_id IN ${evaluations} AND ${isTrialSql}`;
  return clickhouse.query<TrialRow>(
    `SELECT * EXCEPT (keyTime, is_started) FROM (${newestSql(select, { project, evaluations }, where)}) LIMIT ${limit}`,
    params.values,
  );
}
