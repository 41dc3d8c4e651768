import { RunningMean } from '../statistics/arms/running-mean.ts';
import type { Guards } from './guards.ts';
import type { ScoredVariant } from './look.ts';
import type { PolicyPlan, PolicyScorer } from './plan.ts';

/** What a scorer has found about each variant of a version. */
export class ScoredVariants {
  readonly guards: Guards;
  readonly #names: string[];
  readonly #version: number;
  readonly #scorer: PolicyScorer;
  readonly #means: RunningMean[];
  readonly #missing: number[];

  constructor({ number, plan }: { number: number; plan: PolicyPlan }, scorer: PolicyScorer, guards: Guards) {
    this.guards = guards;
    this.#names = plan.variants.map(({ name }) => name);
    this.#version = number;
    this.#scorer = scorer;
    this.#means = plan.variants.map(() => new RunningMean());
    this.#missing = plan.variants.map(() => 0);
  }

  /**
   * @param reward between 0 and 1; null if no feedback came
   * @returns what it counts as; null if it does not
   */
  count(variant: number, reward: number | null): number | null {
    if (reward === null) this.#missing[variant]!++;
    const value = reward ?? (this.#scorer.missing === 'zero' ? 0 : null);
    if (value === null) return null;
    this.#means[variant]!.add(value);
    this.guards.count(variant, value, this.#version);
    return value;
  }

  look(): Omit<ScoredVariant, 'open'>[] {
    return this.#names.map((name, variant) => {
      const { count: counted, mean, bounds } = this.#means[variant]!;
      const { lower, upper } = bounds ?? { lower: null, upper: null };
      const harmP = this.guards.harmP(variant);
      return { name, counted, mean, lower, upper, missing: this.#missing[variant]!, harmP };
    });
  }
}
