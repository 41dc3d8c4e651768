import type { Context } from '../../context.ts';
import type * as contract from '../../contract/objects/create.ts';
import type { Handler } from '../../http/bind.ts';
import { ValidationError } from '../../util/failures.ts';

export function objCreate({ identity, services: { objects } }: Context): Handler<typeof contract.objCreate> {
  return async ({ body: { obj }, caller }) => {
    const publication = {
      projectId: await identity.projectForWrite(caller, obj.project_id),
      objectId: obj.object_id,
      value: obj.val.text,
      builtinClass: obj.builtin_object_class ?? obj.set_base_object_class,
      expectedDigest: obj.expected_digest,
      expectedLatest: obj.expected_latest,
      caller,
    };
    const { digest } = await objects.publish(publication).catch((error) => {
      throw error instanceof ValidationError ? error.below('body', 'obj') : error;
    });
    return { digest, object_id: obj.object_id };
  };
}
