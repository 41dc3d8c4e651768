export type LearningRateSchedule = {
  kind: 'constant' | 'linear' | 'cosine';
  peak: number;
  /** The learning rate at the start of the warm-up and at the end. */
  min: number;
  steps: number;
  warmupSteps: number;
};

/** The learning rate of one step, counted from 0. The first step of a warm-up is one part above the minimum. */
export function learningRateAt({ kind, peak, min, steps, warmupSteps }: LearningRateSchedule, step: number): number {
  if (step < warmupSteps) return min + ((peak - min) * (step + 1)) / warmupSteps;
  const done = Math.min((step - warmupSteps) / Math.max(steps - warmupSteps - 1, 1), 1);
  switch (kind) {
    case 'constant':
      return peak;
    case 'linear':
      return peak - (peak - min) * done;
    case 'cosine':
      return min + ((peak - min) * (1 + Math.cos(Math.PI * done))) / 2;
    default:
      return kind satisfies never;
  }
}
