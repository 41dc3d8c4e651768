/**
 * The advantages of the rewards of one group: what a reward is above the group's mean, by default in units of its
 * standard deviation. A rollout whose advantage is 0 teaches nothing.
 */
export function advantagesOf(rewards: readonly number[], scaled = true): number[] {
  // Rounding errors must not create a difference, which would then be scaled up.
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
