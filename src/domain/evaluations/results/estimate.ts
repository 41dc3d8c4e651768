import jStat from 'jstat';
import { mean } from './numbers.ts';

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
  const values = filled.flat();
  const center = mean(values);
  if (center === null) return null;
  const k = filled.length;
  if (k < 2) return { count: values.length, mean: center, standardError: null, interval95: null };
  const squares = filled.reduce((sum, cluster) => {
    const deviation = cluster.reduce((total, value) => total + (value - center), 0);
    return sum + deviation * deviation;
  }, 0);
  const standardError = Math.sqrt((k / (k - 1)) * squares) / values.length;
  const reach = jStat.studentt.inv(0.975, k - 1) * standardError;
  return { count: values.length, mean: center, standardError, interval95: [center - reach, center + reach] };
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
