import type { TableChange } from '../../contract/tables/update.ts';
import { fromDigestList, toDigestList } from '../../domain/digest/digest-list.ts';
import { addedRowsOf, changeList, stepsOf } from '../../domain/tables/table-changes.ts';
import type { Caller } from '../../identity/identity.ts';
import { isTableStored, readRowDigests, type TableKey } from '../../store/clickhouse/tables/find-table.ts';
import { insertTable, insertTableRows } from '../../store/clickhouse/tables/insert-table.ts';
import { FairGate } from '../../util/fair-gate.ts';
import type { Deps } from '../deps.ts';
import { changeLongList } from '../large/large.ts';
import { prepareRows } from './prepare-rows.ts';

/** Longer lists are changed in a thread, one at a time: changing a million digests takes about 200 MB. */
const longRowsMin = 10_000;

type Table = TableKey & { count: number; isComplete: boolean };
type Changed = { digest: string; touchedRowDigests: string[] };

/** Makes new tables by changing existing ones. @throws Failure for an index that a list does not have */
export function openChangeTable(deps: Pick<Deps, 'clickhouse' | 'inserter' | 'identity'>) {
  const longTables = new FairGate(1);
  return async (table: Table, changes: TableChange[], caller: Caller): Promise<Changed> => {
    const work = () => change(deps, table, changes, caller);
    return isLong(table, changes) ? longTables.run([caller.userId, table.projectId], work) : work();
  };
}

async function change(
  { clickhouse, inserter, identity }: Pick<Deps, 'clickhouse' | 'inserter' | 'identity'>,
  table: Table,
  changes: TableChange[],
  caller: Caller,
): Promise<Changed> {
  const { projectId } = table;
  const rows = await prepareRows(identity, caller, addedRowsOf(changes));
  const base = await readRowDigests(clickhouse, table);
  const added = await toDigestList(rows.map((row) => row.digest));
  const listChanges = { steps: stepsOf(changes), added };
  const { digest, list, touched } = isLong(table, changes)
    ? await changeLongList(base, listChanges)
    : await changeList(base, listChanges);
  const changed = { digest, touchedRowDigests: await fromDigestList(touched) };
  if (await isTableStored(clickhouse, { projectId, digest })) return changed;
  await insertTableRows(inserter, projectId, rows);
  await insertTable(inserter, { projectId, digest, rowDigests: list, isComplete: table.isComplete });
  return changed;
}

function isLong({ count }: Table, changes: TableChange[]): boolean {
  return count + changes.length >= longRowsMin;
}
