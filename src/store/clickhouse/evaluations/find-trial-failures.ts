import type { ClickHouse } from '../clickhouse.ts';
import { SqlParams } from '../query/sql-params.ts';
import { type Source, sourceSql } from './find-trial-children.ts';
import { isTrialSql, newestSql } from './trial-sql.ts';

/** An exception of a trial, or of a call right below one. */
export type TrialFailure = {
  trialId: string;
  /** Whether the trial itself, the model's call, or another one failed, such as a scorer's. */
  kind: 'trial' | 'predict' | 'score';
  /** The beginning of the exception. */
  error: string;
};

/** The failures in the trials of these evaluations, the oldest first. */
export function findTrialFailures(clickhouse: ClickHouse, source: Source): Promise<TrialFailure[]> {
  const params = new SqlParams();
  const { scope, trials, inTraces, isPredict } = sourceSql(source, params);
  const isTrial = `parent_id IN ${scope.evaluations} AND ${isTrialSql}`;
  const select = `id, if(${isTrial}, id, parent_id) AS trialId,
    multiIf(${isTrial}, 'trial', ${isPredict}, 'predict', 'score') AS kind,
    substringUTF8(exception, 1, ${charactersMax}) AS error`;
  const where = `${inTraces} AND exception != '' AND (${isTrial} OR parent_id IN (SELECT id FROM (${trials})))`;
  return clickhouse.query<TrialFailure>(
    `SELECT trialId, kind, error FROM (${newestSql(select, scope, where)}) ORDER BY keyTime, id`,
    params.values,
  );
}

const charactersMax = 1000;
