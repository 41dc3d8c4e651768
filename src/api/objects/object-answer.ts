import type { Context } from '../../context.ts';
import type { Caller } from '../../identity/identity.ts';
import { readObjectValues } from '../../store/clickhouse/objects/object-values.ts';
import { readLabels } from '../../store/postgres/objects/read-labels.ts';
import type { ObjectVersion } from '../../store/postgres/objects/version.ts';
import { JsonText } from '../../util/json/json-text.ts';
import { formatTimestamp } from '../../util/timestamp.ts';
import { externalRefs } from '../../services/refs/convert-refs.ts';

export type AnswerOptions = {
  project: string;
  caller: Caller;
  metadataOnly: boolean;
  withSize: boolean;
  withLabels: boolean;
};

type Stores = Pick<Context, 'clickhouse' | 'postgres' | 'identity'>;

/** Versions as clients see them: with their values and, when asked, sizes, tags and aliases. */
export async function answerObjects(stores: Stores, versions: ObjectVersion[], options: AnswerOptions) {
  const projectId = versions[0]?.projectId;
  if (projectId === undefined) return [];
  const textOf = options.metadataOnly ? () => nothing : await readValues(stores, options.caller, projectId, versions);
  const objectIds = versions.map((version) => version.objectId);
  const labelsOf = options.withLabels ? await readLabels(stores.postgres, projectId, objectIds) : () => noLabels;
  return versions.map((version) => {
    const { tags, aliases } = labelsOf(version);
    return {
      project_id: options.project,
      object_id: version.objectId,
      created_at: formatDate(version.createdAt),
      deleted_at: null,
      digest: version.digest,
      version_index: version.versionIndex,
      is_latest: Number(version.isLatest),
      kind: version.kind,
      base_object_class: version.baseClass,
      leaf_object_class: version.leafClass,
      val: textOf(version.digest),
      wb_user_id: version.userId,
      size_bytes: options.withSize ? version.sizeBytes : null,
      tags,
      aliases,
    };
  });
}

export function formatDate(date: Date): string {
  return formatTimestamp(date.getTime() * 1000);
}

const nothing = new JsonText('{}');
const noLabels = { tags: null, aliases: null };

async function readValues({ clickhouse, identity }: Stores, caller: Caller, projectId: string, of: ObjectVersion[]) {
  const digests = of.map((version) => version.digest);
  const values = await readObjectValues(clickhouse, projectId, digests);
  const toExternal = await externalRefs(identity, caller, values.values());
  return (digest: string): JsonText => {
    const text = values.get(digest);
    if (text === undefined) throw new Error(`A version has no value (digest ${digest}).`);
    return new JsonText(toExternal(text));
  };
}
