import type { CallRow } from '../../../../domain/calls/call-row.ts';
import type { ClickHouse } from '../../clickhouse.ts';
import { rowColumns } from '../columns.ts';
import { newestById } from './by-id.ts';

/** The newest version of each call with one of these ids, including hidden ones: what writes build on. */
export async function findRows(clickhouse: ClickHouse, projectId: string, ids: string[]): Promise<CallRow[]> {
  return newestById<CallRow>(clickhouse, { projectId, ids, select: Object.values(rowColumns).join(', ') });
}
