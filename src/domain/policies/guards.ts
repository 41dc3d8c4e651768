import { StageGuard } from '../statistics/arms/stage-guard.ts';
import type { Breach } from './look.ts';
import { decides, type PolicyPlan, type PolicyScorer, sharesOf } from './plan.ts';

type Guard = { test: StageGuard; since: number };

/** Whether a variant is worse than the incumbent by one scorer: by the units of a version, or of several that are compared together. */
export class Guards {
  readonly #plan: PolicyPlan;
  readonly #scorer: PolicyScorer;
  readonly #incumbent: number;
  readonly #alpha: number;
  /** Null for the incumbent, for a variant that had no traffic, and where nothing is decided. */
  readonly #guards: (Guard | null)[];
  #shares: number[];

  /** @param plan of the first version */
  constructor(plan: PolicyPlan, scorer: PolicyScorer) {
    this.#plan = plan;
    this.#scorer = scorer;
    this.#incumbent = plan.variants.findIndex(({ name }) => name === plan.incumbent);
    this.#alpha = alphaOfEach(plan);
    this.#guards = plan.variants.map(() => null);
    this.#shares = plan.variants.map(() => 0);
  }

  /** A variant that gets traffic, also again, is tested from then on: who overrules a breach is not overruled by the same units. */
  startVersion(version: number, shares: number[]): void {
    const isCompared = isGuard(this.#plan, this.#scorer) && shares[this.#incumbent]! > 0;
    for (const [variant, share] of shares.entries()) {
      if (!isCompared || variant === this.#incumbent || share === 0 || this.#shares[variant]! > 0) continue;
      const { harm } = this.#scorer;
      this.#guards[variant] = { test: new StageGuard({ alpha: this.#alpha, harm }), since: version };
    }
    this.#shares = shares;
  }

  /** @param reward between 0 and 1 */
  count(variant: number, reward: number, version: number): void {
    for (const [each, guard] of this.#guards.entries()) {
      if (guard === null || guard.since > version) continue;
      if (variant === this.#incumbent) guard.test.add('incumbent', reward, version);
      else if (variant === each) guard.test.add('candidate', reward, version);
    }
  }

  /** A variant with traffic that is shown to be worse; null if there is none. */
  breach(): Breach | null {
    for (const [variant, guard] of this.#guards.entries()) {
      const look = guard?.test.look();
      if (!look?.breached || this.#shares[variant] === 0) continue;
      const { candidate, incumbent } = look;
      return {
        ...{ variant: this.#plan.variants[variant]!.name, reward: this.#scorer.reward, alpha: this.#alpha },
        ...{ counted: candidate.count, mean: candidate.mean!, incumbentMean: incumbent.mean! },
      };
    }
    return null;
  }

  /** A p-value that is valid at all times, of a variant being no worse; null where nothing is tested. */
  harmP(variant: number): number | null {
    const evidence = this.#guards[variant]?.test.look().evidence;
    return evidence === undefined ? null : Math.min(1, 1 / evidence);
  }
}

/** The scorer that shares follow moves traffic by itself, to the least share at most. */
function isGuard({ traffic }: PolicyPlan, scorer: PolicyScorer): boolean {
  return decides(scorer) && !(traffic.kind === 'best_arm' && traffic.scorer === scorer.reward);
}

/** Variants are compared with the incumbent by each scorer: all of these tests share the level. */
function alphaOfEach(plan: PolicyPlan): number {
  const shares = sharesOf(plan);
  // Arms that are out may come back while versions are compared together.
  const hasTraffic = (place: number) => plan.traffic.kind === 'best_arm' || shares[place]! > 0;
  const candidates = plan.variants.filter(({ name }, place) => name !== plan.incumbent && hasTraffic(place)).length;
  return plan.alpha / Math.max(1, candidates * plan.scorers.filter((scorer) => isGuard(plan, scorer)).length);
}
