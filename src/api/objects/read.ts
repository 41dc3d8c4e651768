import type { Context } from '../../context.ts';
import { notFound } from '../../contract/errors.ts';
import type * as contract from '../../contract/objects/read.ts';
import type { Handler } from '../../http/bind.ts';
import { answerObject, formatDate } from './object-answer.ts';

export function objRead({ identity, services: { objects } }: Context): Handler<typeof contract.objRead> {
  return async ({ body, caller }) => {
    const { project_id: project, object_id: objectId, digest: word } = body;
    const name = { projectId: await identity.projectForRead(caller, project), objectId };
    const withLabels = body.include_tags_and_aliases ?? false;
    const object = await objects.find(name, word, { caller, withValues: !body.metadata_only, withLabels });
    if (object === null) throw notFound(`Obj ${objectId}:${word} not found`);
    if (object.deletedAt !== null) {
      // `deleted_at` tells the SDK not to ask again, as it does where a version may only be late.
      const deletedAt = formatDate(object.deletedAt);
      const reason = `${objectId}:v${object.versionIndex} was deleted at ${deletedAt}`;
      throw notFound(reason, { deleted_at: deletedAt });
    }
    return { obj: answerObject(object, { project, withSize: false }) };
  };
}
