import jStat from 'jstat';
import { betShares } from './mean-test.ts';

export type Outlook = {
  /** ln of the wealth now; 0 before the first thread. */
  logWealth: number;
  /** The wealth that decides is 1 / level. */
  level: number;
  /** The gain or harm that is assumed to be true, as a distance from the null mean. */
  gap: number;
  /** Of the values around the null mean. */
  meanSquare: number;
  betShare?: number;
  /** Of the runs that are decided by then. */
  probability?: number;
};

/**
 * An estimate of how many more threads a test needs to decide. ln of the wealth is taken for a Brownian motion with the mean and
 * variance of one bet, whose time to reach a level has an inverse Gaussian distribution. Threads that move wealth in large steps
 * (few rows pass, or almost all do) need more.
 */
export function threadsNeeded(outlook: Outlook): number {
  const { logWealth, level, gap, meanSquare, betShare = betShares.decide, probability = 0.8 } = outlook;
  const distance = -Math.log(level) - logWealth;
  if (distance <= 0) return 0;
  const information = gap ** 2 / meanSquare;
  const drift = (betShare - betShare ** 2 / 2) * information;
  const variance = betShare ** 2 * information;
  let low = 0;
  let high = 1;
  while (reachedBy(high, distance, drift, variance) < probability) high *= 2;
  while (high - low > 0.5) {
    const middle = (low + high) / 2;
    if (reachedBy(middle, distance, drift, variance) < probability) low = middle;
    else high = middle;
  }
  return Math.ceil(high);
}

/** The probability that a Brownian motion with drift has been at `distance` by `time`. */
function reachedBy(time: number, distance: number, drift: number, variance: number): number {
  const spread = Math.sqrt(variance * time);
  const normal = (z: number) => jStat.normal.cdf(z, 0, 1);
  const reflected = normal((-distance - drift * time) / spread);
  const factor = (2 * drift * distance) / variance;
  return normal((drift * time - distance) / spread) + (reflected > 0 ? Math.exp(factor + Math.log(reflected)) : 0);
}
