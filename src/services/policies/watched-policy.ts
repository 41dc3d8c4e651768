import type { Breach, PolicyLook } from '../../domain/policies/look.ts';
import type { AssignedAnswer } from '../../domain/policies/outcomes.ts';
import type { PolicyPlan } from '../../domain/policies/plan.ts';
import { PolicyOutcomes } from '../../domain/policies/policy-outcomes.ts';
import { type AssignedCall, findAssignedCalls } from '../../store/clickhouse/policies/assigned-calls.ts';
import { ratingsOfCalls } from '../../store/clickhouse/policies/ratings.ts';
import type { Policy, StoredVersion } from '../../store/postgres/policies/policies.ts';
import type { Deps } from '../deps.ts';

/** A page reads the places of all calls of the policy, so there should be few. */
const callsPerPage = 20_000;
const unitsPerPage = 500;
/** Calls carry the clock of the process that wrote them, and answers may still be given when their version ends. */
const clockSkewUs = 3600 * 1e6;

/**
 * The outcomes of the active version of a policy, and of earlier ones whose windows may be open, as far as calls have been read. Nothing of
 * it is stored: another process, or the next start, reads the calls again and comes to the same.
 */
export class WatchedPolicy {
  readonly #policy: Policy;
  readonly #projectName: string;
  readonly #outcomes: PolicyOutcomes;
  /** When the outcomes of a version do not change any more. */
  readonly #finished = new Map<number, number>();
  #latest: StoredVersion;
  #startedAfter: number;
  #progress: 'reading' | 'stopped' | 'counted' = 'reading';
  #after = { version: 0, callId: '' };
  /** The versions whose look is outdated. */
  readonly #changed = new Set<number>();
  /** Those that were finished before, and are read again for the versions that are compared with them. */
  readonly #stored = new Set<number>();

  /**
   * @param versions all, the oldest first
   * @param looks of the versions: up to when outcomes were counted
   */
  constructor(
    policy: Policy,
    projectName: string,
    versions: StoredVersion[],
    looks: Map<number, { look: PolicyLook }>,
  ) {
    this.#policy = policy;
    this.#projectName = projectName;
    this.#latest = versions.at(-1)!;
    this.#noteEnds(versions);
    const isFinished = (number: number) => (looks.get(number)?.look.until ?? 0) >= this.#endOf(number);
    this.#outcomes = new PolicyOutcomes(versions, ({ number }) => !isFinished(number));
    const first = versions.find(({ number }) => number === this.#outcomes.open[0])!;
    this.#startedAfter = first.createdAt.getTime() * 1000 - clockSkewUs;
    for (const number of this.#outcomes.open) (isFinished(number) ? this.#stored : this.#changed).add(number);
  }

  get latest(): StoredVersion {
    return this.#latest;
  }

  /** @param versions all, the oldest first, also those that are new */
  update(versions: StoredVersion[]): void {
    for (const { number } of versions) if (number > this.#latest.number) this.#changed.add(number);
    this.#latest = versions.at(-1)!;
    this.#noteEnds(versions);
    this.#outcomes.update(versions);
  }

  /**
   * Reads the calls that were written since the last time, and counts the units whose windows have closed.
   * @param limits up to where calls can be read, and up to when windows are closed
   * @returns the breach at which counting stopped; null without one
   */
  async read(
    { clickhouse }: Pick<Deps, 'clickhouse'>,
    { writtenBefore, until, isHeld }: { writtenBefore: number; until: number; isHeld(): boolean },
  ): Promise<Breach | null> {
    const { id: policyId, projectId } = this.#policy;
    this.#progress = 'reading';
    let isLast = false;
    while (!isLast && isHeld()) {
      const startedAfter = this.#startedAfter;
      const window = { projectId, policyId, startedAfter, after: this.#after, writtenBefore, limit: callsPerPage };
      const calls = await findAssignedCalls(clickhouse, window);
      for (const call of calls) {
        const found = answerOf(call);
        if (found === null) continue;
        this.#outcomes.add(found.version, found.answer);
        this.#changed.add(found.version);
      }
      const last = calls.at(-1);
      if (last) this.#after = { version: last.writeVersion, callId: last.callId };
      isLast = calls.length < callsPerPage;
    }
    if (!isLast) return null;
    const breach = await this.#close({ clickhouse }, until);
    this.#progress = breach === null ? 'counted' : 'stopped';
    return breach;
  }

  /** The plan with other shares that outcomes lead to; null to keep those of the latest version. */
  nextPlan(): PolicyPlan | null {
    return this.#outcomes.nextPlan();
  }

  /** What is new since the last time, of the versions that may have changed. Those whose windows have all closed are forgotten after it. */
  newLooks(until: number): { version: number; look: PolicyLook }[] {
    if (this.#progress === 'reading') return [];
    // After a breach, units of other versions may not be counted yet.
    const open = this.#progress === 'stopped' ? [this.#latest.number] : this.#outcomes.open;
    const finished = open.filter((number) => until >= this.#endOf(number));
    const isNew = (number: number) => this.#changed.has(number) || finished.includes(number);
    const changed = open.filter((number) => isNew(number) && !this.#stored.has(number));
    const looks = changed.map((version) => ({ version, look: this.#outcomes.look(version, until) }));
    for (const number of open) this.#changed.delete(number);
    for (const number of finished) this.#outcomes.finish(number);
    return looks;
  }

  async #close({ clickhouse }: Pick<Deps, 'clickhouse'>, until: number): Promise<Breach | null> {
    const outcomes = this.#outcomes;
    const due = outcomes.due(until);
    for (let start = 0; start < due.length; start += unitsPerPage) {
      const page = due.slice(start, start + unitsPerPage);
      const ids = [...new Set(page.flatMap((each) => outcomes.callsOf(each)))];
      const of = { projectId: this.#policy.projectId, projectName: this.#projectName, ids };
      const byCall = Map.groupBy(await ratingsOfCalls(clickhouse, of), ({ callId }) => callId);
      for (const each of page) {
        outcomes.close(
          each,
          outcomes.callsOf(each).flatMap((id) => byCall.get(id) ?? []),
        );
        this.#changed.add(each.of.number);
        if (each.of.number !== this.#latest.number && !each.of.isCompared) continue;
        const breach = outcomes.breach();
        if (breach !== null) return breach;
      }
    }
    return outcomes.breach();
  }

  #noteEnds(versions: StoredVersion[]): void {
    for (const [place, { number, plan }] of versions.entries()) {
      const next = versions[place + 1];
      if (next === undefined) continue;
      const windowSeconds = Math.max(0, ...plan.scorers.map((scorer) => scorer.windowSeconds));
      this.#finished.set(number, next.createdAt.getTime() * 1000 + windowSeconds * 1e6 + clockSkewUs);
    }
  }

  #endOf(number: number): number {
    return this.#finished.get(number) ?? Infinity;
  }
}

/** Null for attributes that a client wrote. */
function answerOf({ callId, endedAt, assignment }: AssignedCall): { version: number; answer: AssignedAnswer } | null {
  const { version, variant, unit: kind, unit_id: id, moved, failure } = assignment;
  if (typeof version !== 'number' || typeof variant !== 'string' || typeof id !== 'string') return null;
  if (kind !== 'thread' && kind !== 'user' && kind !== 'request') return null;
  const hasFailed = failure !== null && failure !== undefined;
  return { version, answer: { callId, unit: { kind, id }, variant, isMoved: moved === true, endedAt, hasFailed } };
}
