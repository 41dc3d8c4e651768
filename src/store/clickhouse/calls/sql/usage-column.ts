/**
 * Reads the column `usage` as a list of `CallUsage`. The names of a tuple change by way of one without names: between two
 * with names only equal ones would be kept.
 */
export const usageColumn = `CAST(CAST(usage, 'Array(Tuple(String, Int64, Int64, Int64, Nullable(Int64), Int64, Int64))'),
  'Array(Tuple(model String, requests Int64, input Int64, output Int64, total Nullable(Int64), cacheRead Int64, cacheCreation Int64))') AS usage`;
