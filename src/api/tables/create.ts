import type { Context } from '../../context.ts';
import { conflict } from '../../contract/errors.ts';
import type { tableCreate } from '../../contract/tables/create.ts';
import { tableDigest } from '../../domain/digest/digest.ts';
import type { Handler } from '../../http/bind.ts';
import { insertTable, insertTableRows } from '../../store/clickhouse/tables/insert-table.ts';
import { prepareRows } from '../../services/tables/prepare-rows.ts';

export function createTable({
  identity,
  inserter,
}: Pick<Context, 'identity' | 'inserter'>): Handler<typeof tableCreate> {
  return async ({ body: { table }, caller }) => {
    const projectId = await identity.projectForWrite(caller, table.project_id);
    const rows = await prepareRows(identity, caller, table.rows);
    const rowDigests = rows.map(({ digest }) => digest);
    const digest = await tableDigest(rowDigests);
    refuseOtherDigest(table.expected_digest, digest, rowDigests.length);
    await insertTableRows(inserter, projectId, rows);
    await insertTable(inserter, { projectId, digest, rowDigests, isComplete: true });
    return { digest, row_digests: rowDigests };
  };
}

/** @throws ApiError 409 when the client computed another digest than we. */
export function refuseOtherDigest(expected: string | null, digest: string, rows: number): void {
  if (expected === null || expected === digest) return;
  throw conflict(`Client table (${rows} rows) digest ${expected} != server digest ${digest}`);
}
