import type { Breach, ScoredVariant } from './look.ts';
import type { PolicyPlan, PolicyScorer } from './plan.ts';
import { RunningMean } from './running-mean.ts';

/** What a scorer has found about each variant. */
export class GuardedScorer {
  readonly #plan: PolicyPlan;
  readonly #scorer: PolicyScorer;
  readonly #means: RunningMean[];
  readonly #missing: number[];

  constructor(plan: PolicyPlan, scorer: PolicyScorer) {
    this.#plan = plan;
    this.#scorer = scorer;
    this.#means = plan.variants.map(() => new RunningMean());
    this.#missing = plan.variants.map(() => 0);
  }

  /** @param reward between 0 and 1; null if no feedback came */
  count(variant: number, reward: number | null): void {
    if (reward === null) this.#missing[variant]!++;
    const value = reward ?? (this.#scorer.missing === 'zero' ? 0 : null);
    if (value === null) return;
    this.#means[variant]!.add(value);
  }

  breach(): Breach | null {
    return null;
  }

  look(): Omit<ScoredVariant, 'open'>[] {
    return this.#plan.variants.map(({ name }, variant) => {
      const { count: counted, mean, bounds } = this.#means[variant]!;
      const { lower, upper } = bounds ?? { lower: null, upper: null };
      return { name, counted, mean, lower, upper, missing: this.#missing[variant]!, harmP: null };
    });
  }
}
