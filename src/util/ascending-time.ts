import { nowMicroseconds } from './timestamp.ts';

let last = 0;

/**
 * The current time in microseconds since 1970, always later than the previous result in this process, so that writes
 * keep their order.
 */
export function ascendingMicroseconds(): number {
  last = Math.max(nowMicroseconds(), last + 1);
  return last;
}
