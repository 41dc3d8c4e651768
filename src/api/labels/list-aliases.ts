import type { Context } from '../../context.ts';
import type * as contract from '../../contract/labels/list-aliases.ts';
import type { Handler } from '../../http/bind.ts';

export function objListAliases({ identity, services: { labels } }: Context): Handler<typeof contract.objListAliases> {
  return async ({ query, caller }) => {
    const projectId = await identity.projectForRead(caller, query.project_id);
    return { aliases: await labels.listAliases(projectId) };
  };
}
