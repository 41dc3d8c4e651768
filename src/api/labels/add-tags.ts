import type { Context } from '../../context.ts';
import type * as contract from '../../contract/labels/add-tags.ts';
import type { Handler } from '../../http/bind.ts';

export function objAddTags({ identity, services: { labels } }: Context): Handler<typeof contract.objAddTags> {
  return async ({ params: { object_id: objectId, digest }, body: { project_id: project, tags }, caller }) => {
    const projectId = await identity.projectForRead(caller, project);
    await labels.addTags({ projectId, objectId, digest }, tags);
    return {};
  };
}
