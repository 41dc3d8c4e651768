import { insertObjectValue } from '../../store/clickhouse/object-values.ts';
import { findVersionsByDigest } from '../../store/postgres/objects/find-versions-by-digest.ts';
import { publishNewOps } from '../../store/postgres/objects/publish-new-ops.ts';
import { type NewVersion, publishVersion } from '../../store/postgres/objects/publish-version.ts';
import type { Deps } from '../deps.ts';

/**
 * The only place where versions are published: first the value, then the version. So a visible version can always be
 * read; a value without a version does no harm.
 */

type Stores = Pick<Deps, 'inserter' | 'postgres'>;

/** Publishes a version with its value (text). See `publishVersion` for what is returned. */
export async function publishWithValue(stores: Stores, version: NewVersion, text: string) {
  const { projectId, objectId, digest } = version;
  const known = await findVersionsByDigest(stores.postgres, projectId, [{ objectId, digest }]);
  if (known.length === 0) await insertObjectValue(stores.inserter, { projectId, digest, text });
  return publishVersion(stores.postgres, version);
}

/**
 * Publishes one value as the first version of many ops, except of those that already exist.
 * @param isStored whether the value is known to be stored in the project
 */
export async function publishOpsWithValue(
  stores: Stores,
  {
    text,
    isStored,
    ...ops
  }: Omit<Parameters<typeof publishNewOps>[1], 'sizeBytes'> & { text: string; isStored: boolean },
): Promise<void> {
  const { projectId, digest } = ops;
  if (!isStored) await insertObjectValue(stores.inserter, { projectId, digest, text });
  await publishNewOps(stores.postgres, { ...ops, sizeBytes: text.length });
}
