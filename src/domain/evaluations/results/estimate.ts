import jStat from 'jstat';

/** A mean with its uncertainty. The standard error and the interval are null with fewer than two rows. */
export type Estimate = {
  /** The number of values. */
  count: number;
  mean: number;
  standardError: number | null;
  interval95: [low: number, high: number] | null;
};

/**
 * Estimates a mean from clustered values, such as the trials of one row: they are correlated, so they count less than
 * as many rows would. The standard error is cluster-robust with the factor k / (k − 1) for k clusters; for clusters of
 * one value it is the ordinary one. The interval is Student's with k − 1 degrees of freedom. Null without values.
 */
export function estimateMean(clusters: readonly (readonly number[])[]): Estimate | null {
  const filled = clusters.filter(({ length }) => length > 0);
  const sums = filled.map((cluster) => cluster.reduce((sum, value) => sum + value, 0));
  const count = filled.reduce((sum, { length }) => sum + length, 0);
  if (count === 0) return null;
  const center = sums.reduce((sum, each) => sum + each, 0) / count;
  const k = filled.length;
  if (k < 2) return { count, mean: center, standardError: null, interval95: null };
  const squares = sums.reduce((sum, each, i) => sum + (each - filled[i]!.length * center) ** 2, 0);
  const standardError = Math.sqrt((k / (k - 1)) * squares) / count;
  const reach = quantile975(k - 1) * standardError;
  return { count, mean: center, standardError, interval95: [center - reach, center + reach] };
}

/**
 * Student's quantile. With many degrees of freedom its inversion takes milliseconds, and the first term of the expansion
 * around the normal quantile (Abramowitz and Stegun 26.7.5) is exact to five digits.
 */
function quantile975(degreesOfFreedom: number): number {
  if (degreesOfFreedom < 500) return jStat.studentt.inv(0.975, degreesOfFreedom);
  const z = jStat.normal.inv(0.975, 0, 1);
  return z + (z ** 3 + z) / (4 * degreesOfFreedom);
}

/**
 * The same for values of 0 and 1, with Wilson's interval, which stays between them and is valid for rates of 0 and 1,
 * where the standard error is 0. Clusters widen it by their design effect.
 */
export function estimateRate(clusters: readonly (readonly number[])[]): Estimate | null {
  const estimate = estimateMean(clusters);
  if (estimate === null || estimate.standardError === null) return estimate;
  const { mean: rate, standardError } = estimate;
  const rows = clusters.filter(({ length }) => length > 0).length;
  const effective = standardError > 0 ? (rate * (1 - rate)) / standardError ** 2 : rows;
  return { ...estimate, interval95: wilson(rate, effective) };
}

/** Wilson's score interval of a rate among `n` trials (Wilson 1927). */
function wilson(rate: number, n: number): [number, number] {
  const z = jStat.normal.inv(0.975, 0, 1);
  const center = (rate + z ** 2 / (2 * n)) / (1 + z ** 2 / n);
  const reach = (z / (1 + z ** 2 / n)) * Math.sqrt((rate * (1 - rate)) / n + z ** 2 / (4 * n ** 2));
  return [Math.max(0, center - reach), Math.min(1, center + reach)];
}
