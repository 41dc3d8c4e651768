/** What a gate decides by. It is stored before the first answer and never changed. */
export type GatePlan = {
  target: Target;
  /** Each must be shown to be no worse than its margin. */
  guardrails: readonly Guardrail[];
  /** Each blocks the candidate if harm is shown. */
  watched: readonly Watched[];
  /** The level of this candidate (`levelOfNext`). */
  alpha: number;
  /** Threads of the suite, and those that the budget allows to answer. */
  threads: number;
  threadsMax: number;
};

/** A number for each answer. Gaps and margins are in its units. */
export type Metric = { name: string; measure: Measure; better: 'higher' | 'lower' };

/** Tests of means need bounded values; costs and latencies have no bound, so they are compared by the last three. */
export type Measure =
  | { kind: 'score'; low: number; high: number }
  /** The share of rows above the limit. */
  | { kind: 'share-above'; limit: number }
  /** The mean of values that count as the cap if they are above it. Values below 0 count as 0. */
  | { kind: 'capped'; cap: number }
  /**
   * Whether a quantile of the candidate is at most the limit, without the incumbent: the share of rows that may be above the limit is
   * 1 − quantile.
   */
  | { kind: 'quantile'; quantile: number; limit: number };

type Target = Metric & {
  /** The smallest gain that matters. */
  gain: number;
};

type Guardrail = Metric & {
  /** How much worse the candidate may be. */
  margin: number;
};

export type Watched = Metric & {
  /** The smallest harm that matters. */
  harm: number;
  /** The threads of the suite that have rows of it. */
  threads: number;
};

/** The bounds of a thread's difference: candidate − incumbent, turned so that positive is better. */
export function differenceBounds({ measure, better }: Metric): { low: number; high: number } {
  switch (measure.kind) {
    case 'score':
      return { low: measure.low - measure.high, high: measure.high - measure.low };
    case 'share-above':
      return { low: -1, high: 1 };
    case 'capped':
      return { low: -measure.cap, high: measure.cap };
    case 'quantile': {
      const allowed = 1 - measure.quantile;
      return better === 'lower' ? { low: allowed - 1, high: allowed } : { low: -allowed, high: 1 - allowed };
    }
    default:
      return measure satisfies never;
  }
}
