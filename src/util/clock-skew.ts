/** By how much the clocks of processes on the same stores, and those of the machines of the stores, may differ. */
export const clockSkewMs = 10_000;
