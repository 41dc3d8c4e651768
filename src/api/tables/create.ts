import type { Context } from '../../context.ts';
import type * as contract from '../../contract/tables/create.ts';
import type { Handler } from '../../http/bind.ts';

export function tableCreate({ identity, services: { tables } }: Context): Handler<typeof contract.tableCreate> {
  return async ({ body: { table }, caller }) => {
    const projectId = await identity.projectForWrite(caller, table.project_id);
    const rows = table.rows.map(({ text }) => text);
    const made = await tables.create({ projectId, rows, expectedDigest: table.expected_digest, caller });
    return { digest: made.digest, row_digests: made.rowDigests };
  };
}
