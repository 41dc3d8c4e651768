import { LRUCache } from 'lru-cache';
import type { ProjectId } from '../../contract/ids.ts';
import { Assigner } from '../../domain/policies/assign.ts';
import { formatPolicyName } from '../../domain/policies/name.ts';
import { findPolicy, latestVersion, type Policy, type StoredVersion } from '../../store/postgres/policies/policies.ts';
import { growsTo } from '../../util/grows-to.ts';
import type { Deps } from '../deps.ts';
import type { Project } from '../owner.ts';
import type { ResolvedVariant } from './resolve-variant.ts';

/** A policy with the active version, as chats use it. */
export type LivePolicy = {
  policy: Policy;
  project: Project;
  /** As requests name it. */
  name: string;
  version: StoredVersion;
  assigner: Assigner;
  /** What its variants are, as far as chats have needed them. */
  resolved: Map<string, ResolvedVariant>;
};

export type LivePolicies = {
  /** From memory, except for the first time after a change. Null if there is none. */
  find(project: Project, name: string): Promise<LivePolicy | null>;
  /** Resolves when no process uses an earlier version any more. */
  changed(projectId: ProjectId, name: string): Promise<void>;
};

/**
 * Keeps the active version of each policy that is used. The process that makes a version waits until every process has forgotten the
 * one before, so processes agree without reading anything for a chat. What was forgotten is read again at once.
 */
export function openLivePolicies({ postgres, peers }: Pick<Deps, 'postgres' | 'peers'>): LivePolicies {
  const kept = new LRUCache<string, LivePolicy>(growsTo(policiesMax));
  let changes = 0;

  peers.on('policies', (key) => {
    const outdated = key === null ? [...kept.values()] : [kept.get(key)].filter((each) => each !== undefined);
    changes++;
    if (key === null) kept.clear();
    else kept.delete(key);
    for (const { project, policy } of outdated) read(project, policy.name).catch(() => {}); // the next chat reads it
  });
  // A model that was installed again has another id.
  peers.on('models', () => {
    for (const live of kept.values()) live.resolved = new Map();
  });

  async function read(project: Project, name: string): Promise<LivePolicy | null> {
    const before = changes;
    const policy = await findPolicy(postgres, project.id, name);
    const version = policy && (await latestVersion(postgres, policy.id));
    if (!policy || !version) return null;
    const fullName = formatPolicyName({ project: project.name, name });
    const live = { policy, project, name: fullName, version, assigner: new Assigner(version), resolved: new Map() };
    // After a change, what was read may be older.
    if (before === changes && peers.isUpToDate()) kept.set(keyOf(project.id, name), live);
    return live;
  }

  return {
    async find(project, name) {
      const found = peers.isUpToDate() ? kept.get(keyOf(project.id, name)) : undefined;
      return found ?? read(project, name);
    },
    changed: (projectId, name) => peers.notify('policies', keyOf(projectId, name)),
  };
}

const policiesMax = 10_000;

function keyOf(projectId: ProjectId, name: string): string {
  return `${projectId} ${name}`;
}
