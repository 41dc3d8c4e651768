/**
 * The advantages of a group's rewards: their difference from the group's mean, by default divided by the standard deviation.
 * Rollouts with an advantage of 0 do not affect training.
 */
export function advantagesOf(rewards: readonly number[], scaled = true): number[] {
  // Otherwise rounding errors could become differences, and be scaled up.
  if (!isTrainable(rewards)) return rewards.map(() => 0);
  const mean = meanOf(rewards);
  const deviation = Math.sqrt(meanOf(rewards.map((reward) => (reward - mean) ** 2)));
  return rewards.map((reward) => (scaled ? (reward - mean) / (deviation + 1e-6) : reward - mean));
}

/** Whether the rewards of a group differ. */
export function isTrainable(rewards: readonly number[]): boolean {
  return rewards.some((reward) => reward !== rewards[0]);
}

function meanOf(values: readonly number[]): number {
  return values.reduce((sum, each) => sum + each, 0) / values.length;
}
