import type { Measured } from './measured.ts';

/** The usage of one model in one bucket. */
export type MeasuredUsage = Measured & { model: string };
