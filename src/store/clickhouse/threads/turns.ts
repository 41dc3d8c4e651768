import type { ThreadsFilter } from '../../../contract/threads/stream-query.ts';
import type { Micros } from '../../../domain/calls/call-row.ts';
import type { ClickHouse } from '../clickhouse.ts';
import { SqlParams } from '../query/sql-params.ts';

/** Turns of a project, as a filter chooses them. */
export type TurnsScope = { projectId: string; filter: ThreadsFilter | null };

/** A turn is a call whose turn is itself. */
export function turnsSql({ projectId, filter }: TurnsScope, params: SqlParams): string {
  const { after_datetime: after = null, before_datetime: before = null, thread_ids: ids = null } = filter ?? {};
  return [
    `project_id = ${params.string(projectId)}`,
    ...(after === null ? [] : [`started_at > ${params.time(after)}`]),
    ...(before === null ? [] : [`started_at < ${params.time(before)}`]),
    ...(ids?.length ? [`thread_id IN ${params.strings(ids)}`] : []),
    "thread_id != ''",
    'turn_id = id',
  ].join(' AND ');
}

/**
 * When turns start, null where they are many. Most calls of most projects are no turns, and a narrow read of all versions
 * tells so much sooner than FINAL, which brings whole keys together; where turns are many it ends early.
 */
export async function fewTurnTimes(clickhouse: ClickHouse, scope: TurnsScope): Promise<Micros[] | null> {
  const params = new SqlParams();
  const rows = await clickhouse.query<{ time: Micros }>(
    `SELECT toUnixTimestamp64Micro(started_at) AS time FROM calls WHERE ${turnsSql(scope, params)} LIMIT ${fewMax + 1}`,
    params.values,
  );
  return rows.length > fewMax ? null : rows.map(({ time }) => time);
}

const fewMax = 5000;
