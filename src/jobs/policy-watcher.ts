import type { BestArmLook, Breach } from '../domain/policies/look.ts';
import { type PolicyPlan, withoutTraffic } from '../domain/policies/plan.ts';
import type { Identity } from '../identity/identity.ts';
import type { Policies } from '../services/policies/policies.ts';
import { WatchedPolicy } from '../services/policies/watched-policy.ts';
import type { ClickHouse } from '../store/clickhouse/clickhouse.ts';
import type { Peers } from '../store/peers/peers.ts';
import { readLooks, saveLook } from '../store/postgres/policies/looks.ts';
import { latestOfAll, listVersions, type Policy, type StoredVersion } from '../store/postgres/policies/policies.ts';
import type { Postgres } from '../store/postgres/postgres.ts';
import { nowMicroseconds } from '../util/timestamp.ts';

type Deps = {
  clickhouse: ClickHouse;
  postgres: Postgres;
  identity: Pick<Identity, 'projectName'>;
  peers: Peers;
  policies: Pick<Policies, 'change'>;
};

type Options = {
  onError(error: unknown, message: string): void;
  everyMs?: number;
  /** Windows are closed so long after their end: feedback and answers of the last moments may still be on their way. */
  settledMs?: number;
  /** The shares of a best-arm policy are changed at most so often. */
  sharesEveryMs?: number;
};

/** How long after the end of a process another one watches. */
const leaseMs = 10_000;

/**
 * Reads the outcomes of the policies that divide traffic, returns the traffic of a variant that is shown to be worse, and lets the shares of
 * best-arm policies follow their outcomes. One process at a time does this. What it remembers can be read again from the calls, so any process can go on.
 */
export function startPolicyWatcher(deps: Deps, options: Options): { close(): Promise<void> } {
  const { everyMs = 5000, settledMs = 5000, sharesEveryMs = 3_600_000 } = options;
  const watched = new Map<string, WatchedPolicy>();
  let closed = false;
  let passing: Promise<void> | null = null;
  const timer = setInterval(() => {
    passing ??= pass().finally(() => {
      passing = null;
    });
  }, everyMs).unref();
  return {
    async close() {
      closed = true;
      clearInterval(timer);
      await passing;
    },
  };

  async function pass(): Promise<void> {
    try {
      const lease = await deps.peers.lease('watching policies', leaseMs);
      if (lease !== null) await watchAll(lease.isHeld).finally(() => lease.release());
    } catch (error) {
      report(error);
    }
  }

  function report(error: unknown): void {
    if (!closed) options.onError(error, 'reading the outcomes of policies failed and will be retried');
  }

  async function watchAll(isHeld: () => boolean): Promise<void> {
    const latest = await latestOfAll(deps.postgres);
    const ids = new Set(latest.map(({ policy }) => policy.id));
    for (const id of watched.keys()) if (!ids.has(id)) watched.delete(id);
    for (const each of latest) {
      if (closed || !isHeld()) return;
      await watch(each, () => !closed && isHeld()).catch(report);
    }
  }

  async function watch({ policy, version }: { policy: Policy; version: StoredVersion }, isHeld: () => boolean) {
    const state = await stateOf(policy, version);
    if (state === null) return;
    const writtenBefore = (await deps.peers.numbers.settled()) + (deps.peers.isAlone ? 0 : 1);
    const until = nowMicroseconds() - settledMs * 1000;
    const breach = await state.read(deps, { writtenBefore, until, isHeld });
    for (const { version: number, look } of state.newLooks(until))
      await saveLook(deps.postgres, policy.id, number, look);
    if (!isHeld()) return;
    if (breach !== null) return returnTraffic(policy, version, breach);
    const next = mayMove(version) ? state.nextPlan() : null;
    if (next !== null) await moveShares(policy, version, next);
  }

  /** Whoever undoes a version wants its shares to stay, until somebody makes the next one. */
  function mayMove({ createdAt, undoesTo }: StoredVersion): boolean {
    return undoesTo === null && Date.now() - createdAt.getTime() >= sharesEveryMs;
  }

  /** Null for a policy that is deleted. */
  async function stateOf(policy: Policy, version: StoredVersion): Promise<WatchedPolicy | null> {
    const known = watched.get(policy.id);
    if (known?.latest.number === version.number) {
      known.update([version]);
      return known;
    }
    const versions = (await listVersions(deps.postgres, policy.id)).filter(({ number }) => number <= version.number);
    if (known !== undefined) {
      known.update(versions.toReversed());
      return known;
    }
    const projectName = await deps.identity.projectName(policy.projectId);
    if (projectName === null) return null;
    const looks = await readLooks(deps.postgres, policy.id);
    const state = new WatchedPolicy(policy, projectName, versions.toReversed(), looks);
    watched.set(policy.id, state);
    return state;
  }

  async function returnTraffic(policy: Policy, version: StoredVersion, breach: Breach): Promise<void> {
    const plan = withoutTraffic(version.plan, breach.variant);
    await deps.policies.change(policy, version, { plan, reason: reasonOf(breach, plan.incumbent), verdict: breach });
  }

  async function moveShares(policy: Policy, version: StoredVersion, next: { plan: PolicyPlan; found: BestArmLook }) {
    const { plan, found } = next;
    await deps.policies.change(policy, version, { plan, reason: sharesReason(found), verdict: found });
  }
}

function sharesReason({ reward, winner, warning, arms }: BestArmLook): string {
  const found = arms
    .filter(({ isIn }) => isIn)
    .map(({ name, mean, counted }) => `${name} ${mean === null ? 'none' : mean.toFixed(3)} of ${counted} units`);
  const verdict = winner !== null ? `${winner} is best.` : (warning ?? 'None is shown to be best yet.');
  return `Shares follow ${reward}: means ${found.join(', ')}. ${verdict}`;
}

function reasonOf({ variant, reward, counted, mean, incumbentMean, alpha }: Breach, incumbent: string): string {
  const means = `mean ${mean.toFixed(3)} of ${counted} units against ${incumbentMean.toFixed(3)}`;
  return `${variant} is worse than ${incumbent} by ${reward}: ${means}, at a level of ${alpha}. Its traffic went back to ${incumbent}.`;
}
