/** The one-sided 99 % upper bound of a share, of which `count` of `runs` were seen (Wilson 1927). */
export function upperBound(count: number, runs: number): number {
  const z = 2.3263;
  const share = count / runs;
  const center = share + z ** 2 / (2 * runs);
  return (center + z * Math.sqrt((share * (1 - share)) / runs + z ** 2 / (4 * runs ** 2))) / (1 + z ** 2 / runs);
}

export function lowerBound(count: number, runs: number): number {
  return 1 - upperBound(runs - count, runs);
}

/** Whether `count` of `runs` shows that a share is above the largest one wanted; a few more than that may be chance. */
export function isAbove(count: number, runs: number, most: number): boolean {
  return lowerBound(count, runs) > most;
}

/** Whether `count` of `runs` shows that a share is below the smallest one wanted. */
export function isBelow(count: number, runs: number, least: number): boolean {
  return upperBound(count, runs) < least;
}

/** The smallest count of `runs` that does not show that a share is below `least`. */
export function fewestFor(least: number, runs: number): number {
  let count = Math.ceil(least * runs);
  while (count > 1 && !isBelow(count - 1, runs, least)) count--;
  return count;
}
