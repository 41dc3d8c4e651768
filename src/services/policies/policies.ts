import { randomBytes } from 'node:crypto';
import { newId } from '../../contract/ids.ts';
import { checkPlan } from '../../domain/policies/check-plan.ts';
import type { PolicyLook } from '../../domain/policies/look.ts';
import { type PolicyPlan, withShares } from '../../domain/policies/plan.ts';
import { nextVersion, undoTo } from '../../domain/policies/version.ts';
import { readLooks } from '../../store/postgres/policies/looks.ts';
import {
  addVersion,
  createPolicy,
  deletePolicy,
  findPolicy,
  latestVersion,
  listPolicies,
  listVersions,
  type NewVersion,
  type Policy,
  type StoredVersion,
} from '../../store/postgres/policies/policies.ts';
import { brokenRule, conflict, invalidInput, notFound } from '../../util/failures.ts';
import type { Deps } from '../deps.ts';
import type { Owner } from '../owner.ts';
import { type EstimateQuery, estimatePolicy, type PolicyEstimate } from './estimate-policy.ts';
import type { LivePolicies } from './live-policies.ts';
import { pinVariant, type VariantParts } from './resolve-variant.ts';

export type PolicyWithVersion = { policy: Policy; version: StoredVersion };
export type PolicyWithVersions = { policy: Policy; versions: (StoredVersion & { found: Found | null })[] };
type Found = { look: PolicyLook; at: Date };

type NewPlan = { plan: PolicyPlan; reason: string };

/** Policies of projects. All methods throw a `Failure`. Every process uses a change by the time its method resolves. */
export type Policies = {
  create(owner: Owner, name: string, plan: NewPlan): Promise<PolicyWithVersion>;
  list(owner: Owner): Promise<PolicyWithVersion[]>;
  /** With all versions, the newest first. */
  read(owner: Owner, name: string): Promise<PolicyWithVersions>;
  /** @param expected the number that the latest version must have; null for any */
  addVersion(owner: Owner, name: string, plan: NewPlan & { expected: number | null }): Promise<PolicyWithVersion>;
  /** Makes a version equal to an earlier one: that before the latest, or the one with this number. */
  undo(owner: Owner, name: string, to: { number: number | null; reason: string }): Promise<PolicyWithVersion>;
  delete(owner: Owner, name: string): Promise<void>;
  /** What mean reward other shares would have had. */
  estimate(owner: Owner, name: string, query: EstimateQuery): Promise<PolicyEstimate>;
  /** A version that heddle makes because of what it found. @returns false if there is another version by now */
  change(policy: Policy, latest: StoredVersion, change: NewPlan & { verdict: unknown }): Promise<boolean>;
};

const nameShape = /^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$/;
const reasonCharactersMax = 2000;

type OwnDeps = Pick<Deps, 'postgres' | 'clickhouse' | 'peers'> & { live: LivePolicies };

export function openPolicies(deps: OwnDeps, parts: VariantParts): Policies {
  const { postgres, live } = deps;

  async function mustFind({ project }: Owner, name: string): Promise<Policy> {
    const policy = await findPolicy(postgres, project.id, name);
    if (policy === null) throw notFound(`The project ${project.name} has no policy ${name}.`);
    return policy;
  }

  async function mustFindLatest(policy: Policy): Promise<StoredVersion> {
    const version = await latestVersion(postgres, policy.id);
    if (version === null) throw notFound(`The policy ${policy.name} has just been deleted.`);
    return version;
  }

  /** Checks a plan, and fixes its shares and what its variants are. Variants that the version before has are left as they are. */
  async function pinned(asked: PolicyPlan, before: StoredVersion | null, owner: Owner): Promise<PolicyPlan> {
    const plan = withShares(asked, before?.plan ?? null);
    checkPlan(plan);
    const variants = [];
    for (const variant of plan.variants) {
      const same = before?.plan.variants.find(
        ({ name, model, prompt }) => name === variant.name && model === variant.model && prompt === variant.prompt,
      );
      variants.push(same ?? (await pinVariant(parts, variant, owner)));
    }
    return { ...plan, variants };
  }

  async function store(policy: Policy, version: NewVersion): Promise<PolicyWithVersion> {
    await addVersion(postgres, policy.id, version);
    await live.changed(policy.projectId, policy.name);
    return { policy, version: await mustFindLatest(policy) };
  }

  return {
    async create(owner, name, { plan, reason }) {
      if (!nameShape.test(name)) {
        throw brokenRule(
          'name: the form of a policy name',
          `${JSON.stringify(name.slice(0, 100))} is not a name: use up to 128 letters, digits, ".", "_" and "-".`,
        );
      }
      checkReason(reason);
      const policy = { id: newId(), projectId: owner.project.id, name, key: randomBytes(32).toString('hex') };
      const made = nextVersion(policy.key, null, await pinned(plan, null, owner));
      const version = { ...made, createdBy: owner.caller.userId, reason, undoesTo: null, verdict: null };
      await createPolicy(postgres, policy, version);
      await live.changed(policy.projectId, name);
      const stored = await mustFind(owner, name);
      return { policy: stored, version: await mustFindLatest(stored) };
    },

    async list({ project }) {
      const found: PolicyWithVersion[] = [];
      for (const policy of await listPolicies(postgres, project.id)) {
        const version = await latestVersion(postgres, policy.id);
        if (version !== null) found.push({ policy, version });
      }
      return found;
    },

    async read(owner, name) {
      const policy = await mustFind(owner, name);
      const [versions, looks] = [await listVersions(postgres, policy.id), await readLooks(postgres, policy.id)];
      return {
        policy,
        versions: versions.map((version) => ({ ...version, found: looks.get(version.number) ?? null })),
      };
    },

    async addVersion(owner, name, { plan, reason, expected }) {
      checkReason(reason);
      const policy = await mustFind(owner, name);
      const latest = await mustFindLatest(policy);
      if (expected !== null && expected !== latest.number)
        throw conflict(`The latest version of ${name} is ${latest.number}, not ${expected}.`);
      const made = nextVersion(policy.key, latest, await pinned(plan, latest, owner));
      return store(policy, { ...made, createdBy: owner.caller.userId, reason, undoesTo: null, verdict: null });
    },

    async undo(owner, name, { number, reason }) {
      checkReason(reason);
      const policy = await mustFind(owner, name);
      const versions = await listVersions(postgres, policy.id);
      const latest = versions[0]!;
      const wanted = number ?? latest.number - 1;
      const target = versions.find((each) => each.number === wanted);
      if (target === undefined || target.number === latest.number) {
        const message =
          number === null
            ? `${name} has no version before the latest one.`
            : `${name} has no earlier version ${number}. Its latest version is ${latest.number}.`;
        throw invalidInput(message, { param: 'version' });
      }
      const made = undoTo(latest, target);
      return store(policy, { ...made, createdBy: owner.caller.userId, reason, undoesTo: target.number, verdict: null });
    },

    async delete(owner, name) {
      const policy = await mustFind(owner, name);
      await deletePolicy(postgres, policy.id);
      await live.changed(policy.projectId, name);
    },

    async estimate(owner, name, query) {
      const policy = await mustFind(owner, name);
      const versions = (await listVersions(postgres, policy.id)).reverse();
      return estimatePolicy(deps, { policy, projectName: owner.project.name, versions }, query);
    },

    async change(policy, latest, { plan, reason, verdict }) {
      const made = nextVersion(policy.key, latest, plan);
      try {
        await store(policy, { ...made, createdBy: null, reason, undoesTo: null, verdict });
        return true;
      } catch (error) {
        if ((await latestVersion(postgres, policy.id))?.number === latest.number) throw error;
        return false;
      }
    },
  };
}

function checkReason(reason: string): void {
  if (reason.length > reasonCharactersMax)
    throw brokenRule(
      'reason: length',
      `reason has ${reason.length} characters; at most ${reasonCharactersMax} are allowed.`,
    );
}
