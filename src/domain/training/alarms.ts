/** The metrics of a checkpoint, such as `train/reward`. */
type Metrics = Record<string, number>;

/** How many checkpoints back the comparison goes. */
export const alarmSpan = 5;

/**
 * Signs that a reward is being gamed or that training is breaking: the reward has risen, while the entropy has fallen to
 * less than a third, or the trainer and the sampler disagree three times as much.
 * @param history metrics of the last checkpoints, the oldest first
 */
export function alarmsOf(history: readonly Metrics[], now: Metrics): string[] {
  const before = history.slice(-alarmSpan)[0];
  if (!before || !(value(now, 'train/reward') > value(before, 'train/reward'))) return [];
  const steps = Math.min(history.length, alarmSpan);
  const over = `within ${steps} ${steps === 1 ? 'step' : 'steps'} while the reward rose`;
  const entropy = [value(before, 'train/entropy'), value(now, 'train/entropy')] as const;
  const mismatch = [value(before, 'train/sampler_mismatch'), value(now, 'train/sampler_mismatch')] as const;
  return [
    ...(entropy[1] < entropy[0] / 3
      ? [`The entropy fell from ${show(entropy[0])} to ${show(entropy[1])} ${over}.`]
      : []),
    ...(mismatch[1] > mismatch[0] * 3 && mismatch[1] > mismatchMin
      ? [`Trainer and sampler differ by ${show(mismatch[1])} on each token, up from ${show(mismatch[0])}, ${over}.`]
      : []),
  ];
}

/** Below this mean difference of logprobs, rounding explains it. */
const mismatchMin = 0.01;

/** NaN for a metric that is not there: comparisons with it are false. */
function value(metrics: Metrics, name: string): number {
  return metrics[name] ?? Number.NaN;
}

function show(number: number): string {
  return number.toPrecision(3);
}
