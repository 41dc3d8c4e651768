import { LRUCache } from 'lru-cache';
import { growsTo } from '../../util/grows-to.ts';
import { SampleRatioTest } from '../statistics/sample-ratio.ts';
import { type FoundReward, parseRewardPath, type RewardPath, rewardOf } from '../training/reward.ts';
import type { ArmComparison } from './arm-comparison.ts';
import { comparableShares, type Unit } from './assign.ts';
import { Guards } from './guards.ts';
import type { Breach, PolicyLook, ScoredVariant, VariantLook } from './look.ts';
import { type PolicyScorer, sharesOf } from './plan.ts';
import { ScoredVariants } from './scored-variants.ts';
import type { PolicyVersion } from './version.ts';

/** An answer, as its call records the assignment. Times are in microseconds. */
export type AssignedAnswer = {
  callId: string;
  unit: Unit;
  variant: string;
  isMoved: boolean;
  endedAt: number;
  hasFailed: boolean;
};

export type Rating = { callId: string; type: string; payload: unknown; createdAt: number };

type UnitState = {
  id: string;
  kind: Unit['kind'];
  variant: number;
  isMoved: boolean;
  answers: { callId: string; endedAt: number; hasFailed: boolean }[];
  /** The places of scorers whose window is open. */
  open: Set<number>;
};

/** A unit whose window has closed for a scorer. */
export type DueUnit = { unit: UnitState; scorer: number; closedAt: number };

/**
 * The outcomes of one version, from its calls and their feedback alone. A unit counts once for each scorer, when its window has
 * closed: with the mean reward of the answers within the window, or with 0 as soon as its variant has failed. Feedback that comes
 * later does not count. So every process that reads the same calls finds the same.
 *
 * By the scorer that shares follow, failures count when their window closes: arms are compared in the order in which units were assigned.
 */
export class VersionOutcomes {
  readonly number: number;
  readonly #comparison: ArmComparison | null;
  readonly #names: string[];
  readonly #scorers: PolicyScorer[];
  readonly #paths: RewardPath[];
  readonly #variants: VariantLook[];
  readonly #scored: ScoredVariants[];
  /** Units that may still count. */
  readonly #open = new Map<string, UnitState>();
  /** The last units that have counted, or do not count: their later answers are only shown. */
  readonly #closed = new LRUCache<string, UnitState>(growsTo(closedMax));
  readonly #ratios: Record<'moving' | 'fixed', RatioOf | null>;

  /** @param comparison of the versions that are compared together; null where this one is compared alone */
  constructor(version: PolicyVersion, comparison: ArmComparison | null = null) {
    const { variants, scorers } = version.plan;
    this.number = version.number;
    this.#comparison = comparison;
    this.#names = variants.map(({ name }) => name);
    this.#scorers = scorers;
    this.#paths = scorers.map(({ reward }) => parseRewardPath(reward));
    this.#variants = this.#names.map((name) => ({ name, units: 0, movedUnits: 0, answers: 0, failures: 0 }));
    this.#scored = scorers.map((scorer, place) => {
      const guards = comparison?.guardsOf(place) ?? new Guards(version.plan, scorer);
      if (comparison === null) guards.startVersion(version.number, sharesOf(version.plan));
      return new ScoredVariants(version, scorer, guards);
    });
    this.#ratios = {
      moving: ratioOf(comparableShares(version, 'thread')),
      fixed: ratioOf(comparableShares(version, 'request')),
    };
  }

  /** Whether it is compared together with other versions. */
  get isCompared(): boolean {
    return this.#comparison !== null;
  }

  /** The version in which the unit of an answer counts: threads and users that go on in a later version of a comparison count in the first one. */
  homeOf(answer: AssignedAnswer): number {
    if (this.#comparison === null || answer.unit.kind === 'request' || answer.isMoved) return this.number;
    return this.#comparison.homeOf(unitIdOf(answer), this.number);
  }

  /**
   * Adds an answer that ended. The same call may come again.
   * @param isReturning whether the unit counts in an earlier version
   */
  add(answered: AssignedAnswer, isReturning = false): void {
    const { callId, unit, variant, isMoved, endedAt, hasFailed } = answered;
    const id = unitIdOf(answered);
    const place = this.#names.indexOf(variant);
    if (place < 0) return;
    const known = this.#open.get(id) ?? this.#closed.get(id);
    if (known?.answers.some((each) => each.callId === callId)) return;
    const look = this.#variants[place]!;
    look.answers++;
    if (hasFailed) look.failures++;
    const answer = { callId, endedAt, hasFailed };
    if (known !== undefined) {
      known.answers.push(answer);
      return;
    }
    if (!isReturning) look.units++;
    if (isMoved) look.movedUnits++;
    else if (!isReturning) this.#ratios[unit.kind === 'request' ? 'fixed' : 'moving']?.add(place);
    const state = {
      id,
      kind: unit.kind,
      variant: place,
      isMoved,
      answers: [answer],
      open: new Set(this.#scorers.keys()),
    };
    if (!isMoved && !isReturning && state.open.size > 0) this.#open.set(id, state);
    else this.#closed.set(id, state);
  }

  /** Adds an answer in a later version to a unit that counts in this one, if its window may be open and its variant is the same. */
  addLater(answered: AssignedAnswer): void {
    const { callId, endedAt, hasFailed } = answered;
    const unit = this.#open.get(unitIdOf(answered));
    if (unit === undefined || this.#names[unit.variant] !== answered.variant) return;
    if (!unit.answers.some((each) => each.callId === callId)) unit.answers.push({ callId, endedAt, hasFailed });
  }

  /** The units whose windows have closed by a time, in the order of their closing. */
  due(until: number): DueUnit[] {
    const due: DueUnit[] = [];
    for (const unit of this.#open.values()) {
      const first = Math.min(...unit.answers.map(({ endedAt }) => endedAt));
      for (const scorer of unit.open) {
        const closesAt = first + this.#scorers[scorer]!.windowSeconds * 1e6;
        if (this.#follows(scorer)) {
          if (closesAt <= until) due.push({ unit, scorer, closedAt: closesAt });
          continue;
        }
        const failures = unit.answers.filter(({ hasFailed, endedAt }) => hasFailed && endedAt <= closesAt);
        const closedAt = Math.min(closesAt, ...failures.map(({ endedAt }) => endedAt));
        if (closedAt <= until) due.push({ unit, scorer, closedAt });
      }
    }
    return due.sort(inOrder);
  }

  /** The calls whose feedback decides about a unit. */
  callsOf({ unit, closedAt }: DueUnit): string[] {
    return unit.answers.filter(({ endedAt }) => endedAt <= closedAt).map(({ callId }) => callId);
  }

  /**
   * Counts a unit.
   * @param ratings the feedback on its calls, the oldest first
   * @returns its reward, between 0 and 1; null if it has none
   */
  close(due: DueUnit, ratings: readonly Rating[]): number | null {
    const { unit, scorer, closedAt } = due;
    const calls = new Set(this.callsOf(due));
    const hasFailed = unit.answers.some((each) => each.hasFailed && each.endedAt <= closedAt);
    const counted = ratings.filter(({ callId, createdAt }) => calls.has(callId) && createdAt <= closedAt);
    const reward = this.#scored[scorer]!.count(unit.variant, hasFailed ? 0 : this.#rewardOf(scorer, counted));
    if (this.#follows(scorer)) this.#comparison!.count(unit.variant, reward, this.number);
    unit.open.delete(scorer);
    if (unit.open.size === 0) {
      this.#open.delete(unit.id);
      this.#closed.set(unit.id, unit);
    }
    return reward;
  }

  /** The variant that is shown to be worse than the incumbent; null if there is none. */
  breach(): Breach | null {
    return this.#scored.map(({ guards }) => guards.breach()).find((each) => each !== null) ?? null;
  }

  look(until: number): PolicyLook {
    const open = this.#scorers.map(() => this.#names.map(() => 0));
    for (const unit of this.#open.values()) for (const scorer of unit.open) open[scorer]![unit.variant]!++;
    const p = Math.min(
      1,
      ...Object.values(this.#ratios).map((ratio) => (ratio === null ? 1 : 2 * Math.exp(-ratio.peak))),
    );
    return {
      until,
      variants: this.#variants.map((each) => ({ ...each })),
      scorers: this.#scored.map((scored, scorer) => ({
        reward: this.#scorers[scorer]!.reward,
        variants: scored.look().map((each, variant): ScoredVariant => ({ ...each, open: open[scorer]![variant]! })),
      })),
      sampleRatio: { p, isMismatch: p < mismatchLevel },
      bestArm: this.#comparison?.look() ?? null,
    };
  }

  /** Whether shares follow a scorer. */
  #follows(scorer: number): boolean {
    return this.#comparison?.isObjective(this.#scorers[scorer]!) ?? false;
  }

  /** The mean of the rewards that the answers of a unit have; null if none has one. */
  #rewardOf(scorer: number, ratings: readonly Rating[]): number | null {
    const { low, high } = this.#scorers[scorer]!;
    const found: number[] = [];
    for (const ofCall of Map.groupBy(ratings, ({ callId }) => callId).values()) {
      const feedback = ofCall.map(({ type, payload }) => ({ type, payload }));
      const reward: FoundReward = rewardOf(this.#paths[scorer]!, { feedback, field: () => undefined });
      if (reward !== null && 'reward' in reward) found.push((reward.reward - low) / (high - low));
    }
    if (found.length === 0) return null;
    const mean = found.reduce((sum, each) => sum + each, 0) / found.length;
    return Math.max(0, Math.min(1, mean));
  }
}

function unitIdOf({ unit }: AssignedAnswer): string {
  return `${unit.kind} ${unit.id}`;
}

/** The order in which units count. */
export function inOrder(a: DueUnit, b: DueUnit): number {
  return a.closedAt - b.closedAt || (a.unit.id < b.unit.id ? -1 : Number(a.unit.id > b.unit.id)) || a.scorer - b.scorer;
}

/** A unit that goes on after so many others counts as another one. */
const closedMax = 200_000;
/** Below this, assigned units are not a sample with the planned shares. */
const mismatchLevel = 0.001;
/** How many units the prior of the test counts for. */
const priorWeight = 100;

type RatioOf = { add(variant: number): void; readonly peak: number };

/** Null if one variant has all units. */
function ratioOf(shares: number[]): RatioOf | null {
  const places = shares.flatMap((share, place) => (share > 0 ? [place] : []));
  if (places.length < 2) return null;
  const test = new SampleRatioTest(
    places.map((place) => shares[place]!),
    priorWeight,
  );
  return {
    add(variant) {
      const place = places.indexOf(variant);
      if (place >= 0) test.add(place);
    },
    get peak() {
      return test.peak;
    },
  };
}
