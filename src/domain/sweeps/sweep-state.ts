/**
 * A sweep is pending until its first run, and finished with its last one: it gives out no more runs, and those that it gave
 * out go on. Agents of a canceled sweep end their runs.
 */
export const sweepStates = ['PENDING', 'RUNNING', 'PAUSED', 'FINISHED', 'CANCELED'] as const;

export type SweepState = (typeof sweepStates)[number];
