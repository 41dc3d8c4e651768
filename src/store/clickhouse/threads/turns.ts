import type { Micros } from '../../../domain/calls/call-row.ts';
import type { ThreadsFilter } from '../../../domain/thread.ts';
import { topmostTurnSql } from '../calls/sql/filter-sql.ts';
import type { ClickHouse } from '../clickhouse.ts';
import { SqlParams } from '../query/sql-params.ts';

/** The turns of a project that match a filter. */
export type TurnsScope = { projectId: string; filter: ThreadsFilter | null };

/** A turn is a call whose turn id is its own id and, if asked for, a topmost call of a thread. */
export function turnsSql({ projectId, filter }: TurnsScope, params: SqlParams): string {
  const { after = null, before = null, ids = null } = filter ?? {};
  return [
    `project_id = ${params.string(projectId)}`,
    ...(after === null ? [] : [`started_at > ${params.time(after)}`]),
    ...(before === null ? [] : [`started_at < ${params.time(before)}`]),
    ...(ids?.length ? [`thread_id IN ${params.strings(ids)}`] : []),
    "thread_id != ''",
    filter?.withTopmostCalls ? `(turn_id = id OR ${topmostTurnSql})` : 'turn_id = id',
  ].join(' AND ');
}

/**
 * The start times of turns, null if there are many. In most projects few calls are turns, and a narrow read of all
 * versions finds that out much faster than FINAL, which reads whole keys; if there are many turns, it stops early.
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
