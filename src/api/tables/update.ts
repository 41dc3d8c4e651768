import type { Context } from '../../context.ts';
import type * as contract from '../../contract/tables/update.ts';
import type { Handler } from '../../http/bind.ts';

export function tableUpdate({ identity, services: { tables } }: Context): Handler<typeof contract.tableUpdate> {
  return async ({ body, caller }) => {
    const base = { projectId: await identity.projectForRead(caller, body.project_id), digest: body.base_digest };
    const { digest, touchedRowDigests } = await tables.change(base, body.updates, caller);
    return { digest, updated_row_digests: touchedRowDigests };
  };
}
