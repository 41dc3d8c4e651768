/**
 * Reads the column `usage` as a list of `CallUsage`. The names of a tuple change by way of one without names: between two
 * with names only equal ones would be kept.
 */
export const usageColumn = `${readAs('usage')} AS usage`;

/** The same, but none of a call whose tokens count at another call. */
export const countedUsageColumn = `${readAs('if(is_repeated, [], usage)')} AS usage`;

function readAs(usage: string): string {
  return `CAST(CAST(${usage}, 'Array(Tuple(String, Int64, Int64, Int64, Nullable(Int64), Int64, Int64))'),
  'Array(Tuple(model String, requests Int64, input Int64, output Int64, total Nullable(Int64), cacheRead Int64, cacheCreation Int64))')`;
}
