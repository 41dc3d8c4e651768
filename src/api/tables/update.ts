import type { Context } from '../../context.ts';
import { notFound } from '../../contract/errors.ts';
import type { tableUpdate } from '../../contract/tables/update.ts';
import { tableDigest } from '../../domain/digest/digest.ts';
import { applyChanges, rowsOf } from '../../domain/tables/table-changes.ts';
import type { Handler, Input } from '../../http/bind.ts';
import { findTable, isTableStored, readRowDigests, type TableKey } from '../../store/clickhouse/tables/find-table.ts';
import { insertTable, insertTableRows } from '../../store/clickhouse/tables/insert-table.ts';
import { FairGate } from '../../util/fair-gate.ts';
import { prepareRows } from './prepare-rows.ts';

/** Longer lists are changed one at a time: a million digests take about 100 MB while they are changed. */
const longRowsMin = 50_000;

export function updateTable({
  identity,
  clickhouse,
  inserter,
}: Pick<Context, 'identity' | 'clickhouse' | 'inserter'>): Handler<typeof tableUpdate> {
  const longTables = new FairGate(1);

  async function change(table: Table, { body, caller }: Input<typeof tableUpdate>) {
    const { projectId } = table;
    const base = await readRowDigests(clickhouse, table, table.count);
    const texts = rowsOf(body.updates);
    const rows = await prepareRows(identity, caller, texts);
    const digests = new Map(texts.map((text, i) => [text, rows[i]!.digest]));
    const { rowDigests, touched } = await applyChanges(base, body.updates, (text) => digests.get(text)!);
    const digest = await tableDigest(rowDigests);
    const answer = { digest, updated_row_digests: touched };
    if (await isTableStored(clickhouse, { projectId, digest })) return answer;
    await insertTableRows(inserter, projectId, rows);
    await insertTable(inserter, { projectId, digest, rowDigests, isComplete: table.isComplete });
    return answer;
  }

  return async (input) => {
    const { body, caller } = input;
    const key = { projectId: await identity.projectForRead(caller, body.project_id), digest: body.base_digest };
    const table = await findTable(clickhouse, key);
    if (table === null) throw notFound(`Table ${key.projectId}:${key.digest} not found`);
    if (body.updates.length === 0) return { digest: body.base_digest, updated_row_digests: [] };
    const work = () => change({ ...key, ...table }, input);
    const isLong = table.count + body.updates.length >= longRowsMin;
    return isLong ? longTables.run([caller.userId, key.projectId], work) : work();
  };
}

type Table = TableKey & { count: number; isComplete: boolean };
