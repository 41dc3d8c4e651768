import type { Context } from '../../context.ts';
import type * as contract from '../../contract/labels/remove-tags.ts';
import type { Handler } from '../../http/bind.ts';

export function objRemoveTags({ identity, services: { labels } }: Context): Handler<typeof contract.objRemoveTags> {
  return async ({ params: { object_id: objectId, digest }, body: { project_id: project, tags }, caller }) => {
    const projectId = await identity.projectForRead(caller, project);
    await labels.removeTags({ projectId, objectId, digest }, tags);
    return {};
  };
}
