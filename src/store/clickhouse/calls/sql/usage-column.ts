/**
 * Reads the columns `usage` and `usage_details` as a list of `CallUsage`. Names of a tuple are changed through an unnamed
 * tuple: a cast between named tuples would only keep equal names.
 */
const usageColumn = `${readAs('usage')} AS usage`;

/** The same, but empty for a call whose tokens are counted at another call. */
export const countedUsageColumn = `${readAs('if(is_repeated, [], usage)')} AS usage`;

/** Calls that were written before the details were have none. */
export const usageDetails = 'arrayResize(usage_details, length(usage))';

/** Selects each field of a `UsageCall`. */
export const usageCallColumns = `id, parent_id AS parentId, trace_id AS traceId, toUnixTimestamp64Micro(started_at) AS startedAt,
  toUnixTimestamp64Micro(ended_at) AS endedAt, toBool(mapper_version > 0) AS isSpan, op_name AS opName,
  if(mapper_version > 0, JSONExtractString(attributes, 'response_id'), '') AS responseId, ${usageColumn}`;

function readAs(usage: string): string {
  return `CAST(arrayMap((u, d) -> (u.1, u.2, u.3, u.4, u.5, u.6, u.7, d.1, d.2, d.3), ${usage}, arrayResize(usage_details, length(${usage}))),
  'Array(Tuple(model String, requests Int64, input Int64, output Int64, total Nullable(Int64), cacheRead Int64, cacheCreation Int64, provider String, tracer Nullable(String), parts Map(String, Int64)))')`;
}
