import { nowMicroseconds } from './timestamp.ts';

let last = 0;

/** Now, in microseconds since 1970, and in this process always later than the time before: what is written keeps its order. */
export function ascendingMicroseconds(): number {
  last = Math.max(nowMicroseconds(), last + 1);
  return last;
}
