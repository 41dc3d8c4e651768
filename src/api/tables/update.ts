import type { Context } from '../../context.ts';
import { notFound } from '../../contract/errors.ts';
import type { tableUpdate } from '../../contract/tables/update.ts';
import { tableDigest } from '../../domain/digest/digest.ts';
import { applyChanges, rowsOf } from '../../domain/tables/table-changes.ts';
import type { Handler } from '../../http/bind.ts';
import { readRowDigests } from '../../store/clickhouse/tables/find-table.ts';
import { insertTable, insertTableRows } from '../../store/clickhouse/tables/insert-table.ts';
import { prepareRows } from './prepare-rows.ts';

export function updateTable({
  identity,
  clickhouse,
  inserter,
}: Pick<Context, 'identity' | 'clickhouse' | 'inserter'>): Handler<typeof tableUpdate> {
  return async ({ body, caller }) => {
    const projectId = await identity.projectForRead(caller, body.project_id);
    const base = await readRowDigests(clickhouse, { projectId, digest: body.base_digest });
    if (base === null) throw notFound(`Table ${projectId}:${body.base_digest} not found`);
    if (body.updates.length === 0) return { digest: body.base_digest, updated_row_digests: [] };

    const texts = rowsOf(body.updates);
    const rows = await prepareRows(identity, caller, texts);
    const digests = new Map(texts.map((text, i) => [text, rows[i]!.digest]));
    const { rowDigests, touched } = await applyChanges(base.rowDigests, body.updates, (text) => digests.get(text)!);
    const digest = await tableDigest(rowDigests);
    await insertTableRows(inserter, projectId, rows);
    await insertTable(inserter, { projectId, digest, rowDigests, isComplete: base.isComplete });
    return { digest, updated_row_digests: touched };
  };
}
