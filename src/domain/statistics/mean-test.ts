/** What a test of a bounded mean is about. */
export type MeanTestPlan = {
  /** The bounds of every value. */
  low: number;
  high: number;
  /** `above` tests that the mean is at most `nullMean`, so evidence shows that it is above; `below` is the opposite. */
  side: 'above' | 'below';
  nullMean: number;
  /** The distance from `nullMean` that the bets are tuned to, above 0. It changes how soon evidence is found, never its validity. */
  gap: number;
  /** Of the bet with the fastest growth (`betShares`). */
  betShare?: number;
  /** The number of values in a finite population that is drawn without replacement, at most so often; null for independent values. */
  population: number | null;
};

/**
 * An e-process for the mean of bounded values by betting (Waudby-Smith & Ramdas, "Estimating means of bounded random
 * variables by betting", JRSS-B 2023): wealth is multiplied by 1 + λ (x − m) for each value, with a bet λ that is chosen before
 * the value is seen. While the null hypothesis is true, wealth is a nonnegative supermartingale, so it ever reaches 1/α with a probability of at
 * most α (Ville's inequality), however often and for whatever reason one looks.
 *
 * Values are independent, or more generally have the same mean given those before. Without replacement, m is the mean that the
 * values left must have if the null is true (section 5 of the paper). A look costs constant time and memory.
 */
export class MeanTest {
  /** ln of the wealth now; infinite once the null is impossible. An e-value at any stopping time. */
  logWealth = 0;
  /** The highest `logWealth` so far: 1/exp of it is a p-value that is valid at all times. */
  peak = 0;
  count = 0;
  #sum = 0;
  /** The values turned so that `above` is tested, with these bounds and null mean. */
  readonly #sign: number;
  readonly #low: number;
  readonly #high: number;
  readonly #nullMean: number;
  readonly #gap: number;
  readonly #betShare: number;
  readonly #population: number;
  #squares = 0;

  constructor({ low, high, side, nullMean, gap, betShare = betShares.decide, population }: MeanTestPlan) {
    this.#sign = side === 'above' ? 1 : -1;
    this.#low = side === 'above' ? low : -high;
    this.#high = side === 'above' ? high : -low;
    this.#nullMean = this.#sign * nullMean;
    this.#gap = gap;
    this.#betShare = betShare;
    this.#population = population ?? Number.POSITIVE_INFINITY;
  }

  add(value: number): void {
    const x = this.#sign * value;
    const left = this.#population - this.count;
    // What the mean of the values left is under the null, and how much of the gap is left to them.
    const share = left === Number.POSITIVE_INFINITY ? 1 : this.#population / left;
    const mean = share === 1 ? this.#nullMean : share * this.#nullMean - this.#sum / left;
    // The bet comes before the value is counted: it must not depend on it. Above `high`, the null cannot be wrong any more.
    if (mean <= this.#high) this.logWealth += Math.log1p(this.#bet(mean, this.#gap * share) * (x - mean));
    this.count++;
    this.#sum += x;
    this.#squares += (x - this.#nullMean) ** 2;
    if (this.#isImpossible(left - 1)) this.logWealth = Number.POSITIVE_INFINITY;
    if (this.logWealth > this.peak) this.peak = this.logWealth;
  }

  /** The mean square of the values around the null mean, as the bets take it: with the weight of the assumption before any value. */
  get meanSquare(): number {
    return (
      (assumedWeight * assumedShare * (this.#high - this.#low) ** 2 + this.#squares) / (assumedWeight + this.count)
    );
  }

  /** Whether the values left cannot be low enough for the null to be true. */
  #isImpossible(left: number): boolean {
    if (left === Number.POSITIVE_INFINITY) return false;
    const least = (this.#sum + left * this.#low) / this.#population;
    return least - this.#nullMean > 1e-9 * (this.#high - this.#low);
  }

  /**
   * The bet that makes wealth grow fastest is close to gap / mean square, and exactly that for differences of −1, 0 and 1, where
   * the mean square is the share of pairs that differ.
   */
  #bet(mean: number, gap: number): number {
    return Math.min((this.#betShare * gap) / this.meanSquare, largestBet / (mean - this.#low));
  }
}

/**
 * What a bet is of the one with the fastest growth: smaller ones lose little growth and much spread, so they decide fewer runs very
 * soon and more runs soon. These are best where 80 % of runs should be decided, and where harm should hardly ever be missed
 * (`npm run bench -- gate`).
 */
export const betShares = { decide: 0.8, watch: 0.6 };
/** Of the bet that could lose all wealth with one value. */
const largestBet = 0.9;
/** Before any value, the mean square is taken to be this share of the range's square, as if so many values had shown it. */
const assumedShare = 1 / 16;
const assumedWeight = 4;
