import type { CallRow } from '../../../../domain/calls/call-row.ts';
import type { ClickHouse } from '../../clickhouse.ts';
import { rowColumns } from '../columns.ts';
import { newestById } from './by-id.ts';

/** The traces that these calls belong to, each once. Unknown calls are ignored. */
export async function findTraces(clickhouse: ClickHouse, projectId: string, ids: string[]): Promise<string[]> {
  const { id, traceId, isDeleted, isStarted } = rowColumns;
  const rows = await newestById<Pick<CallRow, 'id' | 'traceId' | 'isDeleted' | 'isStarted'>>(clickhouse, {
    projectId,
    ids,
    select: [id, traceId, isDeleted, isStarted].join(', '),
  });
  return [...new Set(rows.filter((row) => row.isStarted && !row.isDeleted).map((row) => row.traceId))];
}
