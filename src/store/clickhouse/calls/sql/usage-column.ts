/**
 * Reads the column `usage` as a list of `CallUsage`. Names of a tuple are changed through an unnamed tuple: a cast
 * between named tuples would only keep equal names.
 */
export const usageColumn = `${readAs('usage')} AS usage`;

/** The same, but empty for a call whose tokens are counted at another call. */
export const countedUsageColumn = `${readAs('if(is_repeated, [], usage)')} AS usage`;

function readAs(usage: string): string {
  return `CAST(CAST(${usage}, 'Array(Tuple(String, Int64, Int64, Int64, Nullable(Int64), Int64, Int64))'),
  'Array(Tuple(model String, requests Int64, input Int64, output Int64, total Nullable(Int64), cacheRead Int64, cacheCreation Int64))')`;
}
