import type { Context } from '../../context.ts';
import type * as contract from '../../contract/labels/list-aliases.ts';
import type { Handler } from '../../http/bind.ts';
import { listAliases } from '../../store/postgres/labels/list-labels.ts';

export function objListAliases({ identity, postgres }: Context): Handler<typeof contract.objListAliases> {
  return async ({ query, caller }) => {
    const projectId = await identity.projectForRead(caller, query.project_id);
    return { aliases: await listAliases(postgres, projectId) };
  };
}
