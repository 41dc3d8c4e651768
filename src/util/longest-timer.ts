/** Longer timers of Node fire at once. */
export const longestTimerMs = 2 ** 31 - 1;
