/** What earlier candidates leave of a suite's α. */
export type SuiteHistory = {
  /** The α of the suite: of the promoted candidates, the expected share that are no better is at most this. */
  alpha: number;
  /** Whether each earlier candidate was promoted, in the order of their starts. */
  promoted: readonly boolean[];
};

/**
 * The level at which the next candidate is tested: e-LOND (Xu & Ramdas, "Online multiple testing with e-values", AISTATS
 * 2024), α γ_t (promotions so far + 1) with γ_t = 1 / (t (t + 1)). It bounds the false discovery rate under any dependence of
 * the e-values, such as that of candidates on the same rows, but each e-value must be valid for its candidate: a candidate that was
 * chosen by its answers to these rows is not covered.
 */
export function levelOfNext({ alpha, promoted }: SuiteHistory): number {
  const t = promoted.length + 1;
  const promotions = promoted.filter(Boolean).length;
  return Math.min(alpha, (alpha * (promotions + 1)) / (t * (t + 1)));
}

/**
 * How many more candidates the suite can decide: those whose level needs no more threads than it has if none of them is
 * promoted. 0 says that fresh rows are due.
 *
 * @param threadsAtLevel how many threads a candidate needs at a level
 * @param limit where counting stops
 */
export function candidatesLeft(
  history: SuiteHistory,
  threads: number,
  threadsAtLevel: (level: number) => number,
  limit = 1000,
): number {
  const promoted = [...history.promoted];
  let count = 0;
  while (count < limit && threadsAtLevel(levelOfNext({ alpha: history.alpha, promoted })) <= threads) {
    count++;
    promoted.push(false);
  }
  return count;
}
