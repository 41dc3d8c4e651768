import type { Context } from '../../context.ts';
import type * as contract from '../../contract/labels/set-aliases.ts';
import type { Handler } from '../../http/bind.ts';

export function objSetAliases({ identity, services: { labels } }: Context): Handler<typeof contract.objSetAliases> {
  return async ({ params: { object_id: objectId }, body: { project_id: project, digest, aliases }, caller }) => {
    const projectId = await identity.projectForRead(caller, project);
    await labels.setAliases({ projectId, objectId, digest }, aliases);
    return {};
  };
}
