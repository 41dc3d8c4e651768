import type { Context } from '../../context.ts';
import { notFound } from '../../contract/errors.ts';
import type { objRead } from '../../contract/objects/read.ts';
import type { Handler } from '../../http/bind.ts';
import { findVersion } from '../../store/postgres/objects/find-version.ts';
import { answerObjects, formatDate } from './object-answer.ts';

export function readObject(context: Pick<Context, 'clickhouse' | 'postgres' | 'identity'>): Handler<typeof objRead> {
  return async ({ body, caller }) => {
    const { object_id: objectId, digest } = body;
    const projectId = await context.identity.projectForRead(caller, body.project_id);
    const version = await findVersion(context.postgres, { projectId, objectId }, digest);
    if (version === null) throw notFound(`Obj ${objectId}:${digest} not found`);
    if (version.deletedAt !== null) {
      // `deleted_at` tells the SDK not to ask again, as it does where a version may only be late.
      const deletedAt = formatDate(version.deletedAt);
      const reason = `${objectId}:v${version.versionIndex} was deleted at ${deletedAt}`;
      throw notFound(reason, { deleted_at: deletedAt });
    }
    const [obj] = await answerObjects(context, [version], {
      project: body.project_id,
      caller,
      metadataOnly: body.metadata_only ?? false,
      withSize: false,
      withLabels: body.include_tags_and_aliases ?? false,
    });
    return { obj };
  };
}
