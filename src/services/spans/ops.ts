import { LRUCache } from 'lru-cache';
import type { ProjectId } from '../../contract/ids.ts';
import { placeholderOp } from '../../domain/objects/placeholder-op.ts';
import { formatRef } from '../../domain/refs.ts';
import { fileKey } from '../../store/blobs/file-key.ts';
import { saveFile } from '../../store/postgres/files/save-file.ts';
import { latestOps } from '../../store/postgres/objects/latest-ops.ts';
import { growsTo } from '../../util/grows-to.ts';
import type { Deps } from '../deps.ts';
import { publishOpsWithValue, publishWithValue } from '../objects/publish.ts';

export type Ops = {
  /** The digests of ops by object id: of the newest version, or of a placeholder that is created if there is no op. */
  ensure(owner: { projectId: ProjectId; userId: string }, opIds: Iterable<string>): Promise<Map<string, string>>;
};

type Stores = Pick<Deps, 'postgres' | 'inserter' | 'blobs'>;
type Owner = Parameters<Ops['ensure']>[0];

/** Caches the ops of spans for a minute: a span costs no query, and a newer version of its op is used soon. */
export function openOps(stores: Stores): Ops {
  const known = new LRUCache<string, string>({ ...growsTo(knownMax), ttl: freshMs, ttlResolution: 1000 });
  const prepared = new LRUCache<string, true>(growsTo(knownMax));

  async function find(projectId: ProjectId, opIds: string[], found: Map<string, string>): Promise<string[]> {
    const stored = await latestOps(stores.postgres, projectId, opIds);
    for (const [opId, digest] of stored) {
      found.set(opId, digest);
      known.set(`${projectId}/${opId}`, digest);
    }
    return opIds.filter((opId) => !stored.has(opId));
  }

  async function make(owner: Owner, opIds: string[]): Promise<void> {
    const isStored = prepared.get(owner.projectId) ?? false;
    if (!isStored) await storePlaceholderFile(stores, owner.projectId);
    const { digest, text } = placeholderOp;
    await publishOpsWithValue(stores, { ...owner, objectIds: opIds, digest, text, isStored });
    prepared.set(owner.projectId, true);
  }

  return {
    async ensure(owner, opIds) {
      const digests = new Map<string, string>();
      const unknown = new Set<string>();
      for (const opId of opIds) {
        const digest = known.get(`${owner.projectId}/${opId}`);
        if (digest !== undefined) digests.set(opId, digest);
        else unknown.add(opId);
      }
      if (unknown.size === 0) return digests;
      const missing = await find(owner.projectId, [...unknown], digests);
      if (missing.length === 0) return digests;
      await make(owner, missing);
      const deleted = await find(owner.projectId, missing, digests);
      for (const opId of deleted) {
        await republish(stores, owner, opId);
        digests.set(opId, placeholderOp.digest);
      }
      return digests;
    },
  };
}

/** The ref of an op of a project, `entity/project`. */
export function opRef(projectName: string, opId: string, digest: string): string {
  const [entity, project] = projectName.split('/') as [string, string];
  return formatRef({ entity, project, kind: 'op', name: opId, digest, steps: [] });
}

const knownMax = 50_000;
const freshMs = 60_000;

/** Store the file that the value names before any version refers to it. */
async function storePlaceholderFile({ blobs, postgres }: Stores, projectId: ProjectId): Promise<void> {
  const { file } = placeholderOp;
  await blobs.put(fileKey(projectId, file.digest), file.bytes);
  await saveFile(postgres, { projectId, digest: file.digest, name: file.name, sizeBytes: file.bytes.length });
}

/** If all versions of an op were deleted, the placeholder becomes its next version. */
async function republish(stores: Stores, { projectId, userId }: Owner, objectId: string): Promise<void> {
  const { digest, text } = placeholderOp;
  const ofNoClass = { baseClass: null, leafClass: null };
  const version = { projectId, kind: 'op', objectId, digest, ...ofNoClass, sizeBytes: text.length, userId } as const;
  await publishWithValue(stores, version, text);
}
