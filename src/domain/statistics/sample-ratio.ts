/**
 * Whether arms receive the shares of traffic that were planned (sample-ratio mismatch), with a look after every arrival: the
 * multinomial e-process of Lindon & Malek ("Anytime-valid inference for multinomial count data", NeurIPS 2022), a Bayes factor of a
 * Dirichlet prior around the planned shares against them. Constant time and memory for each arrival.
 */
export class SampleRatioTest {
  /** ln of the e-value now. */
  logWealth = 0;
  /** The highest so far: 1/exp of it is a p-value that is valid at all times. */
  peak = 0;
  readonly #shares: readonly number[];
  readonly #counts: number[];
  readonly #weight: number;
  #total = 0;

  /**
   * @param shares planned for each arm; above 0, and 1 together
   * @param weight how many arrivals the prior counts for: larger ones find small mismatches sooner, and large ones later
   */
  constructor(shares: readonly number[], weight: number) {
    this.#shares = shares;
    this.#counts = shares.map(() => 0);
    this.#weight = weight;
  }

  /** @param arm the place of the arm in `shares` */
  add(arm: number): void {
    const share = this.#shares[arm]!;
    const predicted = (this.#weight * share + this.#counts[arm]!) / (this.#weight + this.#total);
    this.logWealth += Math.log(predicted / share);
    this.peak = Math.max(this.peak, this.logWealth);
    this.#counts[arm]!++;
    this.#total++;
  }
}
