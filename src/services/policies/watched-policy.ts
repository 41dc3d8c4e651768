import type { BestArmLook, Breach, PolicyLook } from '../../domain/policies/look.ts';
import type { PolicyPlan } from '../../domain/policies/plan.ts';
import { PolicyOutcomes } from '../../domain/policies/policy-outcomes.ts';
import type { Policy, StoredVersion } from '../../store/postgres/policies/policies.ts';
import type { Deps } from '../deps.ts';
import { clockSkewUs, closeUnits, readAnswers } from './read-outcomes.ts';

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
    for (const number of this.#outcomes.open) {
      if (isFinished(number)) this.#stored.add(number);
      else if (!looks.has(number)) this.#changed.add(number);
    }
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
    this.#progress = 'reading';
    const from = { startedAfter: this.#startedAfter, after: this.#after, writtenBefore };
    for await (const { answers, after } of readAnswers(clickhouse, this.#policy, from)) {
      for (const { version, answer } of answers) {
        this.#outcomes.add(version, answer);
        this.#changed.add(version);
      }
      this.#after = after;
      if (!isHeld()) return null;
    }
    const breach = await this.#close({ clickhouse }, until);
    this.#progress = breach === null ? 'counted' : 'stopped';
    return breach;
  }

  /** The plan with other shares that outcomes lead to, and what was found; null to keep those of the latest version. */
  nextPlan(): { plan: PolicyPlan; found: BestArmLook } | null {
    return this.#progress === 'counted' ? this.#outcomes.nextPlan() : null;
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
    if (this.#progress === 'counted') this.#changed.clear();
    for (const number of finished) this.#outcomes.finish(number);
    return looks;
  }

  async #close({ clickhouse }: Pick<Deps, 'clickhouse'>, until: number): Promise<Breach | null> {
    const of = { policy: this.#policy, projectName: this.#projectName };
    for await (const { of: version } of closeUnits(clickhouse, of, this.#outcomes, until)) {
      this.#changed.add(version.number);
      if (version.number !== this.#latest.number && !version.isCompared) continue;
      this.#changed.add(this.#latest.number); // it shows what all versions that are compared have found
      const breach = this.#outcomes.breach();
      if (breach !== null) return breach;
    }
    return this.#outcomes.breach();
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
