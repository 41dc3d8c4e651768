import type { Context } from '../../context.ts';
import { notFound } from '../../contract/errors.ts';
import type * as contract from '../../contract/labels/add-tags.ts';
import { checkTags } from '../../domain/objects/label-names.ts';
import type { Handler } from '../../http/bind.ts';
import { addTags } from '../../store/postgres/labels/add-tags.ts';

export function objAddTags({ identity, postgres }: Context): Handler<typeof contract.objAddTags> {
  return async ({ params: { object_id: objectId, digest }, body: { project_id: project, tags }, caller }) => {
    checkTags(tags);
    const projectId = await identity.projectForRead(caller, project);
    const isAdded = await addTags(postgres, { projectId, objectId, digest }, tags);
    if (!isAdded) throw notFound(`Object version ${objectId}:${digest} not found`);
    return {};
  };
}
