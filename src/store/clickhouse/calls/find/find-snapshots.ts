import type { CallRow } from '../../../../domain/calls/call-row.ts';
import type { CallSnapshot } from '../../../../domain/calls/call-snapshot.ts';
import type { ClickHouse } from '../../clickhouse.ts';
import { rowColumns } from '../columns.ts';
import { newestById } from './by-id.ts';

/** The visible calls among these ids, by id. Read in batches, because the ids of a statement are its parameters. */
export async function findSnapshots(
  clickhouse: ClickHouse,
  projectId: string,
  ids: string[],
): Promise<Map<string, CallSnapshot>> {
  const found = new Map<string, CallSnapshot>();
  for (let start = 0; start < ids.length; start += idsMax) {
    const rows = await newestById<Row>(clickhouse, { projectId, ids: ids.slice(start, start + idsMax), select });
    for (const { isStarted, isDeleted, ...call } of rows) if (isStarted && !isDeleted) found.set(call.id, call);
  }
  return found;
}

type Row = CallSnapshot & Pick<CallRow, 'isStarted' | 'isDeleted'>;
const { id, startedAt, endedAt, opName, traceId, isStarted, isDeleted } = rowColumns;
const select = [id, startedAt, endedAt, opName, traceId, isStarted, isDeleted].join(', ');
const idsMax = 1000;
