import { CopyMismatchError, type CopyState, type CopyWatch, tableState, withVerified } from '../../copies.ts';
import type { ClickHouse } from '../clickhouse.ts';
import { commonColumns } from './common-columns.ts';
import { copiedTables } from './copied-tables.ts';
import { copyPages } from './copy-pages.ts';
import { digestOfRange, findWindow } from './windows.ts';

type Stores = { source: ClickHouse; target: ClickHouse };

/**
 * Copies all rows with their versions, deleted ones too, window by window in the order of their keys, and verifies each
 * window. A window that is copied again after an interruption replaces itself: its rows have the same keys and versions.
 * @throws CopyMismatchError
 */
export async function copyClickHouse(stores: Stores, state: CopyState, watch: CopyWatch): Promise<void> {
  const [source, target] = [stores.source.internal, stores.target.internal];
  for (const [name, copied] of Object.entries(copiedTables)) {
    if (name in state.verified) continue;
    const table = { name, ...copied, columns: await commonColumns({ source, target }, name) };
    let at = tableState(state, name);
    for (;;) {
      const window = await findWindow(source, table, at.after);
      await copyPages({ source, target }, table, window, watch);
      const found = await digestOfRange(target, table, window.range);
      if (found.keys !== window.keys || found.digest !== window.digest) {
        throw new CopyMismatchError(name, `${found.keys} of ${window.keys} rows are there, or their values differ`);
      }
      at = { ...at, rows: at.rows + window.rows };
      if (window.range.upTo === null) break;
      at.after = window.range.upTo;
      watch.save({ ...state, current: at });
    }
    state = withVerified(state, at);
    watch.save(state);
  }
}

/** The rows of each table, with older versions, which are copied too. */
export async function countRows({ internal }: ClickHouse): Promise<Record<string, number>> {
  const counts = Object.keys(copiedTables).map(async (name) => {
    const [row] = await internal.query<{ rows: number }>(`SELECT count() AS rows FROM ${name}`);
    return [name, row!.rows] as const;
  });
  return Object.fromEntries(await Promise.all(counts));
}

/** Whether there are no rows; a database without tables has none. */
export async function hasRows({ internal }: ClickHouse): Promise<boolean> {
  const tables = await internal.query<{ name: string }>('SHOW TABLES');
  for (const { name } of tables) {
    if (name in copiedTables && (await internal.query(`SELECT 1 FROM ${name} LIMIT 1`)).length > 0) return true;
  }
  return false;
}
