import { StageGuard } from '../statistics/arms/stage-guard.ts';
import type { Breach, ScoredVariant } from './look.ts';
import { type PolicyPlan, type PolicyScorer, sharesOf } from './plan.ts';
import { RunningMean } from './running-mean.ts';

/** What a scorer has found about each variant, and whether one is shown to be worse than the incumbent. */
export class GuardedScorer {
  readonly #plan: PolicyPlan;
  readonly #scorer: PolicyScorer;
  readonly #incumbent: number;
  readonly #means: RunningMean[];
  readonly #missing: number[];
  /** Null for the incumbent, for a variant without traffic, and where nothing is decided. */
  readonly #guards: (StageGuard | null)[];
  readonly #alpha: number;

  constructor(plan: PolicyPlan, scorer: PolicyScorer) {
    this.#plan = plan;
    this.#scorer = scorer;
    this.#incumbent = plan.variants.findIndex(({ name }) => name === plan.incumbent);
    this.#means = plan.variants.map(() => new RunningMean());
    this.#missing = plan.variants.map(() => 0);
    this.#alpha = alphaOfEach(plan);
    const shares = sharesOf(plan);
    const isGuarded = (variant: number) =>
      decides(scorer) && variant !== this.#incumbent && shares[variant]! > 0 && shares[this.#incumbent]! > 0;
    const guard = { alpha: this.#alpha, harm: scorer.harm };
    this.#guards = plan.variants.map((_, variant) => (isGuarded(variant) ? new StageGuard(guard) : null));
  }

  /** @param reward between 0 and 1; null if no feedback came */
  count(variant: number, reward: number | null): void {
    if (reward === null) this.#missing[variant]!++;
    const value = reward ?? (this.#scorer.missing === 'zero' ? 0 : null);
    if (value === null) return;
    this.#means[variant]!.add(value);
    if (variant === this.#incumbent) for (const guard of this.#guards) guard?.add('incumbent', value);
    else this.#guards[variant]?.add('candidate', value);
  }

  breach(): Breach | null {
    for (const [variant, guard] of this.#guards.entries()) {
      const look = guard?.look();
      if (!look?.breached) continue;
      const { candidate, incumbent } = look;
      return {
        ...{ variant: this.#plan.variants[variant]!.name, reward: this.#scorer.reward, alpha: this.#alpha },
        ...{ counted: candidate.count, mean: candidate.mean!, incumbentMean: incumbent.mean! },
      };
    }
    return null;
  }

  look(): Omit<ScoredVariant, 'open'>[] {
    return this.#plan.variants.map(({ name }, variant) => {
      const { count: counted, mean, bounds } = this.#means[variant]!;
      const { lower, upper } = bounds ?? { lower: null, upper: null };
      const evidence = this.#guards[variant]?.look().evidence;
      const harmP = evidence === undefined ? null : Math.min(1, 1 / evidence);
      return { name, counted, mean, lower, upper, missing: this.#missing[variant]!, harmP };
    });
  }
}

/** Variants are compared with the incumbent by each scorer: all of these tests share the level. */
function alphaOfEach(plan: PolicyPlan): number {
  const shares = sharesOf(plan);
  const candidates = plan.variants.filter(({ name }, place) => name !== plan.incumbent && shares[place]! > 0).length;
  return plan.alpha / Math.max(1, candidates * plan.scorers.filter(decides).length);
}

function decides({ missing }: PolicyScorer): boolean {
  return missing !== 'shown_only';
}
