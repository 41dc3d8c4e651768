import type { FoundCall } from '../../../domain/calls/found-call.ts';
import type { ClickHouse } from '../clickhouse.ts';
import { newestById } from './by-id.ts';
import { type CallRow, rowColumns } from './call-row.ts';
import { foundCallColumns, type MoreOfCalls } from './found-call-sql.ts';
import { withTraceSizes } from './storage-sizes.ts';

export type CallRead = MoreOfCalls & {
  projectId: string;
  id: string;
  includeTotalStorageSize: boolean;
};

/** One call, null where there is none, it is deleted, or only its end has arrived. */
export async function readCall(clickhouse: ClickHouse, read: CallRead): Promise<FoundCall | null> {
  const { projectId, id } = read;
  const select = `${foundCallColumns(null, read)}, ${rowColumns.isDeleted}, ${rowColumns.isStarted}`;
  const rows = await newestById<FoundCall & Visibility>(clickhouse, { projectId, ids: [id], select });
  const calls = rows.filter(({ isStarted, isDeleted }) => isStarted && !isDeleted);
  const [call] = read.includeTotalStorageSize ? await withTraceSizes(clickhouse, projectId, calls) : calls;
  return call ?? null;
}

type Visibility = Pick<CallRow, 'isStarted' | 'isDeleted'>;
