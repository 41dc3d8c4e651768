import type { Caller } from '../../identity/identity.ts';
import { readObjectValues } from '../../store/clickhouse/object-values.ts';
import { type Labels, readLabels } from '../../store/postgres/objects/read-labels.ts';
import type { ObjectVersion } from '../../store/postgres/objects/version.ts';
import type { Deps } from '../deps.ts';
import { externalRefs } from '../refs/convert-refs.ts';

/** What is read of versions besides their own rows. */
export type ReadOptions = {
  /** Refs to projects that the caller cannot read are shown without their project. */
  caller: Caller;
  withValues: boolean;
  withLabels?: boolean;
};

/** A version with its value (JSON text, with refs as clients write them) and labels, null if they were not read. */
export type StoredObject = ObjectVersion & { value: string | null; labels: Labels | null };

type Stores = Pick<Deps, 'clickhouse' | 'postgres' | 'identity'>;

/** Completes versions of one project. */
export async function readVersions(
  stores: Stores,
  versions: ObjectVersion[],
  { caller, withValues, withLabels = false }: ReadOptions,
): Promise<StoredObject[]> {
  const projectId = versions[0]?.projectId;
  if (projectId === undefined) return [];
  const valueByDigest = withValues ? await readValues(stores, caller, projectId, versions) : () => null;
  const objectIds = versions.map((version) => version.objectId);
  const labelsOf = withLabels ? await readLabels(stores.postgres, projectId, objectIds) : () => null;
  return versions.map((version) => ({ ...version, value: valueByDigest(version.digest), labels: labelsOf(version) }));
}

async function readValues({ clickhouse, identity }: Stores, caller: Caller, projectId: string, of: ObjectVersion[]) {
  const digests = of.map((version) => version.digest);
  const values = await readObjectValues(clickhouse, projectId, digests);
  const toExternal = await externalRefs(identity, caller, values.values());
  return (digest: string): string => {
    const text = values.get(digest);
    if (text === undefined) throw new Error(`A version has no value (digest ${digest}).`);
    return toExternal(text);
  };
}
