import type { CallRow } from '../../../../domain/calls/call-row.ts';
import type { FoundCall } from '../../../../domain/calls/found-call.ts';
import type { ClickHouse } from '../../clickhouse.ts';
import { rowColumns } from '../columns.ts';
import { foundCallColumns, type MoreColumns, type SelectedColumns } from '../sql/found-call-sql.ts';
import { newestById } from './by-id.ts';
import { withTraceSizes } from './storage-sizes.ts';

export type CallRead = MoreColumns & {
  projectId: string;
  ids: string[];
  columns: SelectedColumns;
  includeTotalStorageSize: boolean;
};

/** The calls with these ids, except those that do not exist, are deleted, or have not started. */
export async function readCallsById(clickhouse: ClickHouse, read: CallRead): Promise<FoundCall[]> {
  const { projectId, ids, columns } = read;
  const select = `${foundCallColumns(columns, read)}, ${rowColumns.isDeleted}, ${rowColumns.isStarted}`;
  const rows = await newestById<FoundCall & Visibility>(clickhouse, { projectId, ids, select });
  const calls = rows.filter(({ isStarted, isDeleted }) => isStarted && !isDeleted);
  return read.includeTotalStorageSize ? withTraceSizes(clickhouse, projectId, calls) : calls;
}

type Visibility = Pick<CallRow, 'isStarted' | 'isDeleted'>;
