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

  /**
   * The asymptotic confidence sequence of Waudby-Smith et al. ("Time-uniform central limit theory", 2023, theorem 2.2) at 95 %, narrowest
   * at about 500 values. It needs some ten values of each kind; with fewer the bounds are too narrow, so they are left out below ten.
   */
  get bounds(): { lower: number; upper: number } | null {
    if (this.count < 10) return null;
    const n = this.count;
    const mean = this.#sum / n;
    // With one more value of 1/2, so that equal values have bounds, too.
    const smoothed = (this.#sum + 0.5) / (n + 1);
    const deviation = Math.sqrt((this.#squares + 0.25) / (n + 1) - smoothed ** 2 + 0.25 / (n + 1));
    const scale = n * rho2 + 1;
    const half = deviation * Math.sqrt(((2 * scale) / (n * n * rho2)) * Math.log(Math.sqrt(scale) / level));
    return { lower: Math.max(0, mean - half), upper: Math.min(1, mean + half) };
  }
}

const level = 0.05;
/** About (−2 ln α + ln(−2 ln α) + 1) / 500. */
const rho2 = 8.8 / 500;
