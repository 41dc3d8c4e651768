/**
 * Reads the columns `usage` and `usage_details` as a list of `CallUsage`. Names of a tuple are changed through an unnamed
 * tuple: a cast between named tuples would only keep equal names.
 */
export const usageColumn = `${readAs('usage')} AS usage`;

/** The same, but empty for a call whose tokens are counted at another call. */
export const countedUsageColumn = `${readAs('if(is_repeated, [], usage)')} AS usage`;

/** Calls that were written before the details were have none. */
export const usageDetails = 'arrayResize(usage_details, length(usage))';

function readAs(usage: string): string {
  return `CAST(arrayMap((u, d) -> (u.1, u.2, u.3, u.4, u.5, u.6, u.7, d.1, d.2, d.3), ${usage}, arrayResize(usage_details, length(${usage}))),
  'Array(Tuple(model String, requests Int64, input Int64, output Int64, total Nullable(Int64), cacheRead Int64, cacheCreation Int64, provider String, tracer Nullable(String), parts Map(String, Int64)))')`;
}
