import { LRUCache } from 'lru-cache';
import { growsTo } from '../../util/grows-to.ts';
import { BestArm } from '../statistics/arms/best-arm.ts';
import { nextShares } from '../statistics/arms/next-shares.ts';
import { Guards } from './guards.ts';
import type { BestArmLook } from './look.ts';
import { type BestArmTraffic, type PolicyPlan, type PolicyScorer, sharesOf } from './plan.ts';
import type { PolicyVersion } from './version.ts';

/**
 * Versions of a best-arm policy that are compared together: they differ in their shares. A unit counts in the version of its first answer,
 * and units are compared within versions.
 */
export class ArmComparison {
  /** The first version. */
  readonly since: number;
  readonly #traffic: BestArmTraffic;
  readonly #names: string[];
  readonly #guards: Guards[];
  readonly #best: BestArm;
  /** The version in which a thread or a user had its first answer. Single requests have no other. */
  readonly #homes = new LRUCache<string, number>(growsTo(unitsMax));
  #arms: number[] = [];

  constructor({ number, plan }: PolicyVersion, traffic: BestArmTraffic) {
    this.since = number;
    this.#traffic = traffic;
    this.#names = plan.variants.map(({ name }) => name);
    this.#guards = plan.scorers.map((scorer) => new Guards(plan, scorer));
    const { harm: gain } = plan.scorers.find(({ reward }) => reward === traffic.scorer)!;
    this.#best = new BestArm({ arms: this.#names, alpha: plan.alpha, gain });
  }

  startVersion({ number, plan }: PolicyVersion): void {
    const shares = sharesOf(plan);
    this.#arms = [...shares.keys()].filter((place) => shares[place]! > 0);
    for (const guards of this.#guards) guards.startVersion(number, shares);
  }

  guardsOf(scorer: number): Guards {
    return this.#guards[scorer]!;
  }

  isObjective({ reward }: PolicyScorer): boolean {
    return reward === this.#traffic.scorer;
  }

  /** The version in which a unit counts: that of its first answer. */
  homeOf(unitId: string, version: number): number {
    const known = this.#homes.get(unitId);
    if (known === undefined) this.#homes.set(unitId, version);
    return known ?? version;
  }

  /** @param reward by the scorer that shares follow; null if no feedback came */
  count(arm: number, reward: number | null, version: number): void {
    this.#best.add({ arm, reward, version });
  }

  look(): BestArmLook {
    const { verdict, arms } = this.#best.look(this.#arms);
    const evidence = this.#best.evidenceAgainst(this.#arms);
    return {
      ...{ reward: this.#traffic.scorer, since: this.since },
      winner: verdict.kind === 'winner' ? this.#names[verdict.arm]! : null,
      warning: verdict.kind === 'depends-on-missing' ? verdict.warning : null,
      arms: arms.map((found, arm) => ({
        ...{ name: this.#names[arm]!, isIn: this.#arms.includes(arm), ...found },
        evidenceAgainst: evidence[this.#arms.indexOf(arm)] ?? 1,
      })),
    };
  }

  /** The plan of the next version, if shares should change by now; else null. */
  next({ number, plan }: PolicyVersion): PolicyPlan | null {
    if (plan.traffic.kind !== 'best_arm' || this.#arms.length < 2) return null;
    const { least, afterWinner } = plan.traffic;
    const current = sharesOf(plan);
    const { verdict } = this.#best.look(this.#arms);
    const winner = verdict.kind === 'winner' ? verdict.arm : null;
    if (winner !== null && afterWinner === 'all_to_winner')
      return { ...plan, traffic: { kind: 'split', shares: { [this.#names[winner]!]: 1 } } };
    const shares = nextShares({
      evidenceAgainst: this.#best.evidenceAgainst(this.#arms),
      floor: least,
      winner: winner === null ? null : this.#arms.indexOf(winner),
      current: this.#arms.map((arm) => current[arm]!),
      compared: this.#best.countOf(number),
    });
    if (shares === null) return null;
    const byName = this.#names.map((name, arm) => [name, shares[this.#arms.indexOf(arm)] ?? 0] as const);
    return { ...plan, traffic: { ...plan.traffic, shares: Object.fromEntries(byName) } };
  }
}

/** A unit that goes on after so many others counts as another one. */
const unitsMax = 200_000;

/** All versions, the oldest first, in groups that are compared together: versions of a best-arm policy that differ only in how shares follow. */
export function groupsOf<Version extends PolicyVersion>(versions: readonly Version[]): Version[][] {
  const groups: Version[][] = [];
  for (const version of versions) {
    const last = groups.at(-1);
    if (last !== undefined && areCompared(last.at(-1)!, version)) last.push(version);
    else groups.push([version]);
  }
  return groups;
}

/** Whether a version is compared together with the one before. */
export function areCompared(before: PolicyVersion, version: PolicyVersion): boolean {
  return version.plan.traffic.kind === 'best_arm' && questionOf(before) === questionOf(version);
}

/** What must stay the same: the units, the arms and their order, and what is tested. */
function questionOf({ experiment, plan: { variants, incumbent, traffic, scorers, alpha } }: PolicyVersion): string {
  const scorer = traffic.kind === 'best_arm' ? traffic.scorer : null;
  return JSON.stringify({ experiment, variants, incumbent, scorer, scorers, alpha });
}
