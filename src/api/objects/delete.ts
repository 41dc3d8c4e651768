import type { Context } from '../../context.ts';
import type * as contract from '../../contract/objects/delete.ts';
import type { Handler } from '../../http/bind.ts';

export function objDelete({ identity, services: { objects } }: Context): Handler<typeof contract.objDelete> {
  return async ({ body, caller }) => {
    const name = { projectId: await identity.projectForRead(caller, body.project_id), objectId: body.object_id };
    const deleted = await objects.delete(name, body.digests?.length ? body.digests : null);
    const versions = deleted.map(({ digest, baseClass, leafClass }) => ({
      digest,
      base_object_class: baseClass,
      leaf_object_class: leafClass,
    }));
    return { num_deleted: versions.length, deleted_versions: versions };
  };
}
