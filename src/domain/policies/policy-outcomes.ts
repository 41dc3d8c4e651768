import { ArmComparison, areCompared, groupsOf } from './arm-comparison.ts';
import type { BestArmLook, Breach, PolicyLook } from './look.ts';
import { type AssignedAnswer, type DueUnit, inOrder, type Rating, VersionOutcomes } from './outcomes.ts';
import type { PolicyPlan } from './plan.ts';
import type { PolicyVersion } from './version.ts';

export type DueOfVersion = DueUnit & { of: VersionOutcomes };

/** The outcomes of the versions of a policy: of the active one, and of earlier ones while they may change. */
export class PolicyOutcomes {
  readonly #versions: VersionOutcomes[] = [];
  #latest: PolicyVersion;
  /** Of the latest version. */
  #comparison: ArmComparison | null = null;
  /** Answers of a version that was made after the versions were read; the next `update` has it. */
  #early: { number: number; answer: AssignedAnswer }[] = [];

  /**
   * @param versions all, the oldest first
   * @param isWanted whether the outcomes of a version may change. Those that are compared together are all read.
   */
  constructor(versions: readonly PolicyVersion[], isWanted: (version: PolicyVersion) => boolean) {
    this.#latest = versions.at(-1)!;
    for (const group of groupsOf(versions)) {
      if (!group.some((version) => version === this.#latest || isWanted(version))) continue;
      for (const [place, version] of group.entries()) this.#addVersion(version, place === 0);
    }
  }

  get latest(): PolicyVersion {
    return this.#latest;
  }

  /** The numbers of the versions that may change, the oldest first. */
  get open(): number[] {
    return this.#versions.map(({ number }) => number);
  }

  /** @param versions all, the oldest first, also those that are new */
  update(versions: readonly PolicyVersion[]): void {
    for (const version of versions) {
      if (version.number <= this.#latest.number) continue;
      this.#addVersion(version, !areCompared(this.#latest, version));
      this.#latest = version;
    }
    const early = this.#early;
    this.#early = [];
    for (const { number, answer } of early) if (number <= this.#latest.number) this.add(number, answer);
  }

  #addVersion(version: PolicyVersion, isFirst: boolean): void {
    const { traffic } = version.plan;
    if (traffic.kind !== 'best_arm') this.#comparison = null;
    else if (isFirst) this.#comparison = new ArmComparison(version, traffic);
    this.#comparison?.startVersion(version);
    this.#versions.push(new VersionOutcomes(version, this.#comparison));
  }

  /** Adds an answer that ended. The same call may come again. */
  add(number: number, answer: AssignedAnswer): void {
    if (number > this.#latest.number) this.#early.push({ number, answer });
    const own = this.#of(number);
    if (own === undefined) return;
    const home = own.homeOf(answer);
    own.add(answer, home !== number);
    if (home !== number) this.#of(home)?.addLater(answer);
  }

  /** The units whose windows have closed by a time, in the order in which they count. */
  due(until: number): DueOfVersion[] {
    return this.#versions.flatMap((of) => of.due(until).map((unit) => ({ ...unit, of }))).sort(inOrder);
  }

  callsOf(due: DueOfVersion): string[] {
    return due.of.callsOf(due);
  }

  /** Counts a unit, as `VersionOutcomes.close` does. */
  close(due: DueOfVersion, ratings: readonly Rating[]): number | null {
    return due.of.close(due, ratings);
  }

  /** The variant that the units of the active version, or of those compared with it, show to be worse than the incumbent. */
  breach(): Breach | null {
    return this.#of(this.#latest.number)!.breach();
  }

  /** The plan with other shares that outcomes lead to, and what was found; null to keep those of the active version. */
  nextPlan(): { plan: PolicyPlan; found: BestArmLook } | null {
    const plan = this.#comparison?.next(this.#latest) ?? null;
    return plan && { plan, found: this.#comparison!.look() };
  }

  look(number: number, until: number): PolicyLook {
    return this.#of(number)!.look(until);
  }

  /** Forgets a version whose windows have all closed. */
  finish(number: number): void {
    const place = this.#versions.findIndex((each) => each.number === number);
    if (place !== -1) this.#versions.splice(place, 1);
  }

  #of(number: number): VersionOutcomes | undefined {
    return this.#versions.findLast((each) => each.number === number);
  }
}
