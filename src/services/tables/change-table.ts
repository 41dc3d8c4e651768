import type { TableChange } from '../../contract/tables/update.ts';
import { tableDigest } from '../../domain/digest/digest.ts';
import { applyChanges, rowsOf } from '../../domain/tables/table-changes.ts';
import type { Caller } from '../../identity/identity.ts';
import { isTableStored, readRowDigests, type TableKey } from '../../store/clickhouse/tables/find-table.ts';
import { insertTable, insertTableRows } from '../../store/clickhouse/tables/insert-table.ts';
import { FairGate } from '../../util/fair-gate.ts';
import type { Deps } from '../deps.ts';
import { prepareRows } from './prepare-rows.ts';

/** Longer lists are changed one at a time: a million digests take about 100 MB while they are changed. */
const longRowsMin = 50_000;

type Table = TableKey & { count: number; isComplete: boolean };
type Changed = { digest: string; touchedRowDigests: string[] };

/** Makes tables from others by changes. @throws Failure for an index that a list does not have */
export function openChangeTable(deps: Pick<Deps, 'clickhouse' | 'inserter' | 'identity'>) {
  const longTables = new FairGate(1);
  return async (table: Table, changes: TableChange[], caller: Caller): Promise<Changed> => {
    const work = () => change(deps, table, changes, caller);
    const isLong = table.count + changes.length >= longRowsMin;
    return isLong ? longTables.run([caller.userId, table.projectId], work) : work();
  };
}

async function change(
  { clickhouse, inserter, identity }: Pick<Deps, 'clickhouse' | 'inserter' | 'identity'>,
  table: Table,
  changes: TableChange[],
  caller: Caller,
): Promise<Changed> {
  const { projectId } = table;
  const base = await readRowDigests(clickhouse, table, table.count);
  const sent = rowsOf(changes);
  const rows = await prepareRows(
    identity,
    caller,
    sent.map(({ text }) => text),
  );
  const digests = new Map(sent.map((row, i) => [row, rows[i]!.digest]));
  const { rowDigests, touched } = await applyChanges(base, changes, (row) => digests.get(row)!);
  const digest = await tableDigest(rowDigests);
  const changed = { digest, touchedRowDigests: touched };
  if (await isTableStored(clickhouse, { projectId, digest })) return changed;
  await insertTableRows(inserter, projectId, rows);
  await insertTable(inserter, { projectId, digest, rowDigests, isComplete: table.isComplete });
  return changed;
}
