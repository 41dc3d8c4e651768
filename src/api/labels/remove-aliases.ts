import type { Context } from '../../context.ts';
import type * as contract from '../../contract/labels/remove-aliases.ts';
import type { Handler } from '../../http/bind.ts';

export function objRemoveAliases({
  identity,
  services: { labels },
}: Context): Handler<typeof contract.objRemoveAliases> {
  return async ({ params: { object_id: objectId }, body: { project_id: project, aliases }, caller }) => {
    const projectId = await identity.projectForRead(caller, project);
    await labels.removeAliases({ projectId, objectId }, aliases);
    return {};
  };
}
