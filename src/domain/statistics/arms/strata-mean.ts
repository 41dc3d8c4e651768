import { type MeanBounds, meanBounds, type RunningMean } from './running-mean.ts';

/** Values of an arm in one version, and the weight of the version, which is the same for all arms. */
export type Stratum = { values: RunningMean; weight: number };

/**
 * The mean of an arm over versions that had other shares: the mean of its means in each version. So arms are compared as if shares had always
 * been the same, and a good day on which one arm had most answers favours none. Its bounds are those of as many values of one version as have its
 * variance.
 */
export function strataMean(strata: readonly Stratum[]): { mean: number; bounds: MeanBounds | null } | null {
  const total = strata.reduce((sum, { weight }) => sum + weight, 0);
  if (total === 0) return null;
  let [mean, spread, variance] = [0, 0, 0];
  for (const { values, weight } of strata) {
    const share = weight / total;
    mean += share * values.mean!;
    spread += share * values.variance;
    variance += (share ** 2 * values.variance) / values.count;
  }
  return { mean, bounds: meanBounds({ mean, variance: spread, count: spread / variance }) };
}
