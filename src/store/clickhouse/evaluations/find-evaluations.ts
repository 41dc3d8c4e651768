import type { Micros } from '../../../domain/calls/call-row.ts';
import { newestById } from '../calls/find/by-id.ts';
import type { ClickHouse } from '../clickhouse.ts';

/** The root call of an evaluation. Refs are empty where it names none. */
export type FoundEvaluation = {
  id: string;
  traceId: string;
  displayName: string;
  startedAt: Micros;
  evaluationRef: string;
  modelRef: string;
};

/** The root calls of evaluations, by id. Unknown and deleted ones are left out. */
export async function findEvaluations(
  clickhouse: ClickHouse,
  projectId: string,
  ids: string[],
): Promise<Map<string, FoundEvaluation>> {
  type Row = FoundEvaluation & { isDeleted: boolean; isStarted: boolean };
  const rows = await newestById<Row>(clickhouse, {
    projectId,
    ids,
    select: `id, trace_id AS traceId, display_name AS displayName, toUnixTimestamp64Micro(started_at) AS startedAt,
      ${evaluationSql} AS evaluationRef, ${modelSql} AS modelRef,
      toBool(is_deleted) AS isDeleted, toBool(is_started) AS isStarted`,
  });
  return new Map(rows.filter((row) => row.isStarted && !row.isDeleted).map((row) => [row.id, row]));
}

const attribute = (name: string) => `JSONExtractString(attributes, 'weave', '${name}')`;
const input = (name: string) => `JSONExtractString(inputs, '${name}')`;
const evaluationSql = `multiIf(${attribute('evaluation')} != '', ${attribute('evaluation')}, ${input('self')} != '', ${input('self')}, ${input('this')})`;
const modelSql = `if(${attribute('model')} != '', ${attribute('model')}, ${input('model')})`;
