/** What a trainer did for a job. */
export type TrainingUsage = {
  /** That the trainer worked: from sending work until its result. */
  seconds: number;
  /** Of sequences that were only scored. */
  forwardTokens: number;
  /** Of sequences whose gradient was computed, with their prompts. */
  trainedTokens: number;
  optimizerSteps: number;
};

export const noUsage: TrainingUsage = { seconds: 0, forwardTokens: 0, trainedTokens: 0, optimizerSteps: 0 };

export function usageSince(now: TrainingUsage, before: TrainingUsage): TrainingUsage {
  return {
    seconds: now.seconds - before.seconds,
    forwardTokens: now.forwardTokens - before.forwardTokens,
    trainedTokens: now.trainedTokens - before.trainedTokens,
    optimizerSteps: now.optimizerSteps - before.optimizerSteps,
  };
}

/** The day to which usage counts, as PostgreSQL writes it. */
export function usageDay(time: Date): string {
  return time.toISOString().slice(0, 10);
}
