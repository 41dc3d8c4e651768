import type { Context } from '../../context.ts';
import { badRequest, notFound } from '../../contract/errors.ts';
import type { objDelete } from '../../contract/objects/delete.ts';
import type { Handler } from '../../http/bind.ts';
import { deleteVersions } from '../../store/postgres/objects/delete-versions.ts';

const deletionsMax = 100;

export function deleteObjects({
  identity,
  postgres,
}: Pick<Context, 'identity' | 'postgres'>): Handler<typeof objDelete> {
  return async ({ body, caller }) => {
    const { object_id: objectId } = body;
    const words = body.digests?.length ? body.digests : null;
    if (words !== null && words.length > deletionsMax) {
      throw badRequest(
        `Object delete request contains ${words.length} objects. ` +
          `Please delete ${deletionsMax} or fewer objects at a time.`,
      );
    }
    const projectId = await identity.projectForRead(caller, body.project_id);
    const { found, isDeleted } = await deleteVersions(postgres, { projectId, objectId }, words);
    if (found.length === 0) throw notFound(`Object ${objectId} (${shown(words)}) not found when deleting.`);
    if (!isDeleted) {
      throw notFound(
        `Delete request contains ${new Set(words).size} objects, but found ${found.length} to delete (${shown(words)}).`,
      );
    }
    const deleted = found.map(({ digest, baseClass, leafClass }) => ({
      digest,
      base_object_class: baseClass,
      leaf_object_class: leafClass,
    }));
    return { num_deleted: deleted.length, deleted_versions: deleted };
  };
}

function shown(words: string[] | null): string {
  return words === null ? 'all versions' : words.join(', ');
}
