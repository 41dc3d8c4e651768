/** What metrics are computed from. Values of other kinds than numbers and booleans are ignored. */
export type ScoredGroup = {
  trajectories: { reward: number; metrics: Record<string, unknown> | null }[];
  exceptions: unknown[] | null;
  metrics: Record<string, unknown> | null;
};

/**
 * The metrics of groups of one split, such as `val/reward`. Groups without trajectories count in the exception rate
 * only. A mean that is too large for a number is left out.
 */
export function splitMetrics(split: string, groups: ScoredGroup[]): Record<string, number> {
  const trajectories = groups.flatMap((group) => group.trajectories);
  const exceptions = groups.reduce((sum, group) => sum + (group.exceptions?.length ?? 0), 0);
  const attempts = exceptions + trajectories.length;
  const spreads = groups
    .filter((group) => group.trajectories.length > 1)
    .map(({ trajectories }) => spread(trajectories));
  const metrics = new Map<string, number>();
  for (const [name, value] of meansByName(groups.map((group) => group.metrics))) metrics.set(`group_${name}`, value);
  for (const [name, value] of meansByName(trajectories.map((each) => each.metrics))) metrics.set(name, value);
  if (attempts > 0) metrics.set('exception_rate', exceptions / attempts);
  if (trajectories.length > 0) {
    metrics.set('reward', mean(trajectories.map(({ reward }) => reward)));
    metrics.set('reward_std_dev', spreads.length > 0 ? mean(spreads) : 0);
  }
  const finite = [...metrics].filter(([, value]) => Number.isFinite(value));
  return Object.fromEntries(finite.map(([name, value]) => [`${split}/${name}`, value]));
}

/** The population standard deviation of the rewards. */
function spread(trajectories: { reward: number }[]): number {
  const average = mean(trajectories.map(({ reward }) => reward));
  return Math.sqrt(mean(trajectories.map(({ reward }) => (reward - average) ** 2)));
}

/** The mean of each metric over those that have it. */
function meansByName(all: (Record<string, unknown> | null)[]): Map<string, number> {
  const values = new Map<string, number[]>();
  for (const [name, value] of all.flatMap((metrics) => Object.entries(metrics ?? {}))) {
    if (typeof value !== 'number' && typeof value !== 'boolean') continue;
    if (!values.has(name)) values.set(name, []);
    values.get(name)!.push(Number(value));
  }
  return new Map([...values].map(([name, list]) => [name, mean(list)]));
}

function mean(values: number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}
