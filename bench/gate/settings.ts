import type { Pairing } from './thread-pairs.ts';

/** Rows of a thread, their correlation, and the share of answers that the judge flips. */
export type Shape = { rowsPerThread: number; correlation: number; flips: number };

export const shapes: Shape[] = [
  { rowsPerThread: 1, correlation: 0 },
  { rowsPerThread: 8, correlation: 0.3 },
  { rowsPerThread: 8, correlation: 0.8 },
].flatMap((shape) => [0, 0.05].map((flips) => ({ ...shape, flips })));

export const gain = 0.05;

/** Pass rates without a gain, and what they become with one. */
export const rates = [0.02, 0.2, 0.5, 0.8, 0.98];

/** A gain of five points; to 0.98 at the top. */
export function better(rate: number, shape: Shape): Pairing {
  const incumbent = rate === 0.98 ? 0.93 : rate;
  return { ...shape, incumbent, candidate: incumbent + gain };
}

export function equal(rate: number, shape: Shape): Pairing {
  return { ...shape, incumbent: rate, candidate: rate };
}

/** A loss of five points: the truth at the margin of a guardrail. */
export function worse(rate: number, shape: Shape): Pairing {
  const { incumbent, candidate } = better(rate, shape);
  return { ...shape, incumbent: candidate, candidate: incumbent };
}

export function isEnd(rate: number): boolean {
  return rate === 0.02 || rate === 0.98;
}

export function nameOf(rate: number, { rowsPerThread, correlation, flips }: Shape): string {
  const threads = rowsPerThread === 1 ? 'single rows' : `threads of ${rowsPerThread}, ${correlation}`;
  return `${rate}, ${threads}${flips > 0 ? ', judge flips' : ''}`;
}
