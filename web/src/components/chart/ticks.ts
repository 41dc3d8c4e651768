/** Round numbers within a range, at most about `most` of them. */
export function ticksWithin(low: number, high: number, most: number): number[] {
  const step = roundStep((high - low) / Math.max(1, most));
  const first = Math.ceil(low / step - 1e-9);
  const last = Math.floor(high / step + 1e-9);
  return Array.from({ length: last - first + 1 }, (_, index) => Number(((first + index) * step).toPrecision(12)));
}

/** The smallest of 1, 2 and 5 times a power of ten that is at least this. */
function roundStep(least: number): number {
  const power = 10 ** Math.floor(Math.log10(least));
  return [1, 2, 5, 10].map((factor) => factor * power).find((step) => step >= least * (1 - 1e-9))!;
}
