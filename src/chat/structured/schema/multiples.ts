import { type NumberRange, split } from './number-rules.ts';

const multiplesMax = 1_000;

/**
 * The multiples of a number in a range, limited to those that a division confirms; all integers if they are the
 * multiples. Without bounds they cannot be listed. @throws with the place
 */
export function multiplesOf(step: number, { low, high }: NumberRange, place: string): number[] | 'integers' {
  if (step === 1) return 'integers';
  if (low === null || high === null) {
    throw new Error(`${place} cannot be enforced while generating without a minimum and a maximum`);
  }
  const first = Math.ceil(low.value / step);
  const last = Math.floor(high.value / step);
  if (last - first >= multiplesMax) {
    throw new Error(`${place} cannot be enforced while generating for more than ${multiplesMax} values`);
  }
  const digits = Math.min(100, split(step)[1].length);
  const all = Array.from({ length: Math.max(0, last - first + 1) }, (_, index) => (first + index) * step);
  return all.map((value) => Number(value.toFixed(digits)));
}
