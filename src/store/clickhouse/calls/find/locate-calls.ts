import type { CallRow } from '../../../../domain/calls/call-row.ts';
import type { ClickHouse } from '../../clickhouse.ts';
import { rowColumns } from '../columns.ts';
import type { CallsSelection } from '../sql/calls-query.ts';
import { storageSizeSql } from '../sql/found-call-sql.ts';
import { newestById } from './by-id.ts';
import type { CallKey } from './fetch-calls.ts';
import type { KeySource } from './keys-by-time.ts';

/** The keys of the calls that a filter names by id, null if it names none. */
export async function locateCalls(clickhouse: ClickHouse, selection: CallsSelection): Promise<CallKey[] | null> {
  const ids = selection.filter?.call_ids ?? [];
  if (ids.length === 0 || ids.length > idsMax) return null;
  const { startedAt, id, isDeleted, isStarted } = rowColumns;
  const rows = await newestById<Located>(clickhouse, {
    projectId: selection.projectId,
    ids: [...new Set(ids)],
    select: [startedAt, id, isDeleted, isStarted, `${storageSizeSql} AS bytes`].join(', '),
  });
  return rows.filter((row) => row.isStarted && !row.isDeleted);
}

/** Keys known in advance, by time. */
export function locatedKeys(keys: CallKey[], direction: 'asc' | 'desc'): KeySource {
  const ordered = keys.toSorted((a, b) => a.startedAt - b.startedAt || (a.id < b.id ? -1 : 1));
  if (direction === 'desc') ordered.reverse();
  return async (wanted) => ordered.splice(0, wanted);
}

type Located = CallKey & Pick<CallRow, 'isDeleted' | 'isStarted'>;
const idsMax = 1000;
