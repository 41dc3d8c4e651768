import type { ProjectId } from '../../contract/ids.ts';
import type { TableChange } from '../../contract/tables/update.ts';
import { tableDigest } from '../../domain/digest/digest.ts';
import { toDigestList } from '../../domain/digest/digest-list.ts';
import { checkPage, type Page } from '../../domain/query/page.ts';
import type { SortBy } from '../../domain/query/sort-by.ts';
import { parseRowOrder } from '../../domain/tables/row-order.ts';
import type { Caller } from '../../identity/identity.ts';
import { countStoredRows } from '../../store/clickhouse/tables/count-stored-rows.ts';
import { findTable } from '../../store/clickhouse/tables/find-table.ts';
import { insertTable, insertTableRows } from '../../store/clickhouse/tables/insert-table.ts';
import { readRows, type StoredRow } from '../../store/clickhouse/tables/read-rows.ts';
import { readTableStats, type TableStats } from '../../store/clickhouse/tables/table-stats.ts';
import { conflict, notFound } from '../../util/failures.ts';
import { distinctInTurns } from '../../util/turns.ts';
import type { Deps } from '../deps.ts';
import { externalRefs } from '../refs/convert-refs.ts';
import { openChangeTable } from './change-table.ts';
import { prepareRows } from './prepare-rows.ts';

type Key = { projectId: ProjectId; digest: string };

/** Operations on the tables of a project. Rows are JSON text, with refs as clients write them. */
export type Tables = {
  /** @throws Failure if the publisher computed another digest */
  create(table: {
    projectId: ProjectId;
    rows: string[];
    expectedDigest?: string | null;
    caller: Caller;
  }): Promise<{ digest: string; rowDigests: string[] }>;
  /** A table of rows that may already be stored. @throws Failure if the publisher computed another digest */
  createFromDigests(table: {
    projectId: ProjectId;
    rowDigests: string[];
    expectedDigest?: string | null;
  }): Promise<{ digest: string }>;
  /**
   * Makes a new table from an existing one, which does not change.
   * @throws Failure for an unknown table, or for an index that its list does not have
   */
  change(base: Key, changes: TableChange[], caller: Caller): Promise<{ digest: string; touchedRowDigests: string[] }>;
  /** Rows in pages, by default all in their order. @throws Failure for an invalid page or order */
  rows(
    query: Key & Partial<Page> & { rowDigests?: string[] | null; sortBy?: SortBy[] | null },
    caller: Caller,
  ): AsyncIterable<StoredRow[]>;
  /** How many rows a table lists; 0 if it is unknown. */
  count(key: Key): Promise<number>;
  /** Of the known tables. */
  stats(projectId: ProjectId, digests: string[], options: { withSizes: boolean }): Promise<TableStats[]>;
};

export function openTables(deps: Pick<Deps, 'clickhouse' | 'inserter' | 'identity'>): Tables {
  const { clickhouse, inserter, identity } = deps;
  const changeTable = openChangeTable(deps);
  return {
    async create({ projectId, rows: given, expectedDigest = null, caller }) {
      const rows = await prepareRows(identity, caller, given);
      const rowDigests = rows.map(({ digest }) => digest);
      const list = await toDigestList(rowDigests);
      const digest = await tableDigest(list);
      refuseOtherDigest(expectedDigest, digest, rowDigests.length);
      await insertTableRows(inserter, projectId, rows);
      await insertTable(inserter, { projectId, digest, rowDigests: list, isComplete: true });
      return { digest, rowDigests };
    },

    async createFromDigests({ projectId, rowDigests, expectedDigest = null }) {
      const list = await toDigestList(rowDigests);
      const digest = await tableDigest(list);
      refuseOtherDigest(expectedDigest, digest, rowDigests.length);
      const distinct = await distinctInTurns(rowDigests);
      const stored = await countStoredRows(clickhouse, projectId, distinct);
      const isComplete = stored === distinct.length;
      await insertTable(inserter, { projectId, digest, rowDigests: list, isComplete });
      return { digest };
    },

    async change(base, changes, caller) {
      const table = await findTable(clickhouse, base);
      if (table === null) throw notFound(`Table ${base.projectId}:${base.digest} not found`);
      if (changes.length === 0) return { digest: base.digest, touchedRowDigests: [] };
      return changeTable({ ...base, ...table }, changes, caller);
    },

    async *rows({ projectId, digest, rowDigests, sortBy, ...page }, caller) {
      const { limit = null, offset = null } = page;
      checkPage({ limit, offset }, 'a positive integer');
      const pages = readRows(clickhouse, {
        projectId,
        digest,
        rowDigests: rowDigests?.length ? rowDigests : null,
        order: parseRowOrder(sortBy ?? []),
        offset: offset ?? 0,
        limit,
      });
      for await (const rows of pages) {
        const texts = rows.map(({ text }) => text);
        const toExternal = await externalRefs(identity, caller, texts);
        yield rows.map((row) => ({ ...row, text: toExternal(row.text) }));
      }
    },

    async count(key) {
      return (await findTable(clickhouse, key))?.count ?? 0;
    },

    stats(projectId, digests, { withSizes }) {
      return readTableStats(clickhouse, { projectId, digests: [...new Set(digests)], withSizes });
    },
  };
}

function refuseOtherDigest(expected: string | null, digest: string, rows: number): void {
  if (expected === null || expected === digest) return;
  throw conflict(`Client table (${rows} rows) digest ${expected} != server digest ${digest}`);
}
