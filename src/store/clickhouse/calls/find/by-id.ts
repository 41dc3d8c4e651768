import type { Micros } from '../../../../domain/calls/call-row.ts';
import { madeAt } from '../../../../domain/calls/ids.ts';
import type { ClickHouse } from '../../clickhouse.ts';
import { SqlParams } from '../../query/sql-params.ts';

type Version = { id: string; isDeleted: boolean };

/**
 * The newest version of each call with one of these ids, including hidden ones. `select` names the columns to read,
 * among them `id` and `isDeleted`.
 * Clients create an id when the call starts, and most ids contain that time. The call is searched at that time first,
 * and elsewhere only if it is not there. A live version found there is the newest one, because a call that moves in
 * time leaves a tombstone (decisions/0001).
 */
export async function newestById<Row extends Version>(
  clickhouse: ClickHouse,
  { projectId, ids, select }: { projectId: string; ids: string[]; select: string },
): Promise<Row[]> {
  const read = (wanted: string[], isNear: boolean) => {
    const params = new SqlParams();
    const near = isNear ? [nearSql(wanted, params)] : [];
    return clickhouse.query<Row>(
      `SELECT ${select} FROM calls
       WHERE ${[`project_id = ${params.string(projectId)}`, ...near, `id IN ${params.strings(wanted)}`].join(' AND ')}
       ORDER BY version DESC
       LIMIT 1 BY id`,
      params.values,
    );
  };
  const telling = ids.filter((id) => madeAt(id) !== null);
  const near = telling.length > 0 ? await read(telling, true) : [];
  const alive = near.filter(({ isDeleted }) => !isDeleted);
  const found = new Set(alive.map(({ id }) => id));
  const rest = ids.filter((id) => !found.has(id));
  return rest.length > 0 ? [...alive, ...(await read(rest, false))] : alive;
}

/** Matches calls that started at about the time when one of these ids was created. */
function nearSql(ids: string[], params: SqlParams): string {
  const spans: { from: Micros; to: Micros }[] = [];
  for (const time of ids.map((id) => madeAt(id)!).sort((a, b) => a - b)) {
    const last = spans.at(-1);
    if (last && time - nearMicros <= last.to) last.to = time + nearMicros;
    else spans.push({ from: time - nearMicros, to: time + nearMicros });
  }
  const tests = spans.map(({ from, to }) => `started_at BETWEEN ${params.time(from)} AND ${params.time(to)}`);
  return `(${tests.join(' OR ')})`;
}

const nearMicros = 2_000_000;
