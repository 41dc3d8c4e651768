import type { TraceCall } from '../../../../domain/calls/topmost.ts';
import type { ClickHouse } from '../../clickhouse.ts';
import { newestOfTraces } from './newest-of-traces.ts';

export type PlacedCall = TraceCall & { traceId: string; isTopmost: boolean };

/** The place of each visible call of these traces. */
export function findTraceCalls(clickhouse: ClickHouse, projectId: string, traceIds: string[]): Promise<PlacedCall[]> {
  return clickhouse.query<PlacedCall>(newestOfTraces(columns), { projectId, traceIds });
}

const columns = `id, parent_id AS parentId, trace_id AS traceId, toUnixTimestamp64Micro(started_at) AS startedAt,
  toBool(is_topmost) AS isTopmost`;

export type TraceKey = { projectId: string; traceId: string };

/**
 * Traces that may have to be settled: of those written in the last ten minutes before the server stopped, those of
 * which no root was written then, and those that a call represents.
 */
export function findUnsettledTraces(clickhouse: ClickHouse): Promise<TraceKey[]> {
  return clickhouse.query<TraceKey>(
    `SELECT project_id AS projectId, trace_id AS traceId
     FROM calls
     WHERE version > (SELECT max(version) FROM calls) - 600000000 AND is_started = 1 AND trace_id != ''
     GROUP BY project_id, trace_id
     HAVING countIf(parent_id = '') = 0 OR max(is_topmost) = 1
     LIMIT 100000`,
  );
}

/** The traces that a call represents, as hashes of `project/trace`; some may have a root by now. */
export async function findMarkedTraces(clickhouse: ClickHouse): Promise<number[]> {
  const [row] = await clickhouse.query<{ hashes: number[] }>(
    `SELECT groupUniqArray(CRC32(concat(project_id, '/', trace_id))) AS hashes FROM calls WHERE is_topmost = 1`,
  );
  return row?.hashes ?? [];
}
