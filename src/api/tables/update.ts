import type { Context } from '../../context.ts';
import type { tableUpdate } from '../../contract/tables/update.ts';
import type { Handler } from '../../http/bind.ts';

export function updateTable({ identity, services: { tables } }: Context): Handler<typeof tableUpdate> {
  return async ({ body, caller }) => {
    const base = { projectId: await identity.projectForRead(caller, body.project_id), digest: body.base_digest };
    const { digest, touchedRowDigests } = await tables.change(base, body.updates, caller);
    return { digest, updated_row_digests: touchedRowDigests };
  };
}
