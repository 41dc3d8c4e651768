import type { StoredObject } from '../../services/objects/read-versions.ts';
import { JsonText } from '../../util/json/json-text.ts';
import { formatTimestamp } from '../../util/timestamp.ts';

/** A version as clients see it. */
export function answerObject(object: StoredObject, { project, withSize }: { project: string; withSize: boolean }) {
  return {
    project_id: project,
    object_id: object.objectId,
    created_at: formatDate(object.createdAt),
    deleted_at: null,
    digest: object.digest,
    version_index: object.versionIndex,
    is_latest: Number(object.isLatest),
    kind: object.kind,
    base_object_class: object.baseClass,
    leaf_object_class: object.leafClass,
    val: new JsonText(object.value ?? '{}'),
    wb_user_id: object.userId,
    size_bytes: withSize ? object.sizeBytes : null,
    tags: object.labels?.tags ?? null,
    aliases: object.labels?.aliases ?? null,
  };
}

export function formatDate(date: Date): string {
  return formatTimestamp(date.getTime() * 1000);
}
