/**
 * How many values a slow property test tries: a third of `runs`, or all of them in `npm run test:long`. The seed is
 * fixed (`property-seed.ts`), so every sampled run tries the same values.
 */
export function sampledRuns(runs: number): number {
  return process.env.TEST_LONG === undefined ? Math.ceil(runs / 3) : runs;
}
