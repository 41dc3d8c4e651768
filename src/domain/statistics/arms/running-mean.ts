/** The mean of values between 0 and 1 from their sums, with bounds that hold at all looks. */
export class RunningMean {
  count = 0;
  #sum = 0;
  #squares = 0;

  add(value: number): void {
    this.count++;
    this.#sum += value;
    this.#squares += value * value;
  }

  get mean(): number | null {
    return this.count === 0 ? null : this.#sum / this.count;
  }

  /** With one more value of 1/2, so that equal values have a variance, too. */
  get variance(): number {
    const n = this.count;
    const smoothed = (this.#sum + 0.5) / (n + 1);
    return (this.#squares + 0.25) / (n + 1) - smoothed ** 2 + 0.25 / (n + 1);
  }

  /** Null below ten values. */
  get bounds(): MeanBounds | null {
    const { count, mean, variance } = this;
    return mean === null ? null : meanBounds({ mean, variance, count });
  }
}

export type MeanBounds = { lower: number; upper: number };

/**
 * The asymptotic confidence sequence of Waudby-Smith et al. ("Time-uniform central limit theory", 2023, theorem 2.2) at 95 %, narrowest
 * at about 500 values. It needs some ten values of each kind; with fewer the bounds are too narrow, so they are left out below ten.
 */
export function meanBounds(of: { mean: number; variance: number; count: number }): MeanBounds | null {
  const { mean, variance, count: n } = of;
  if (n < 10) return null;
  const scale = n * rho2 + 1;
  const half = Math.sqrt(variance * ((2 * scale) / (n * n * rho2)) * Math.log(Math.sqrt(scale) / level));
  return { lower: Math.max(0, mean - half), upper: Math.min(1, mean + half) };
}

const level = 0.05;
/** About (−2 ln α + ln(−2 ln α) + 1) / 500. */
const rho2 = 8.8 / 500;
