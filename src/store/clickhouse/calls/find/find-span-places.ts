import type { ClickHouse } from '../../clickhouse.ts';

/** A visible call of a trace, with what its neighbours depend on. */
export type SpanPlace = {
  id: string;
  traceId: string;
  parentId: string;
  isSpan: boolean;
  /** Whether it names its kind, or a step is marked with one. */
  hasKind: boolean;
  isCounted: boolean;
};

/** The visible calls of these traces. The newest version at each key is read, which is faster than FINAL. */
export function findSpanPlaces(clickhouse: ClickHouse, projectId: string, traceIds: string[]): Promise<SpanPlace[]> {
  return clickhouse.query<SpanPlace>(
    `SELECT id, traceId, parentId, isSpan, hasKind, isCounted FROM (
       SELECT id, trace_id AS traceId, parent_id AS parentId, toBool(mapper_version > 0) AS isSpan,
              toBool(position(attributes, '"kind":') > 0) AS hasKind,
              toBool(arrayExists(u -> u.3 + u.4 > 0, usage)) AS isCounted, is_started, is_deleted
       FROM calls
       WHERE project_id = {projectId:String} AND (id, started_at) IN (
         SELECT id, started_at FROM calls WHERE project_id = {projectId:String} AND trace_id IN {traceIds:Array(String)}
       )
       ORDER BY version DESC
       LIMIT 1 BY calls.started_at, id
     )
     WHERE is_started = 1 AND is_deleted = 0 AND traceId IN {traceIds:Array(String)}`,
    { projectId, traceIds },
  );
}

/** Which of these calls any process has received something of. */
export async function findReceived(clickhouse: ClickHouse, projectId: string, ids: string[]): Promise<Set<string>> {
  const rows = await clickhouse.query<{ id: string }>(
    `SELECT DISTINCT call_id AS id FROM call_parts
     WHERE project_id = {projectId:String} AND call_id IN {ids:Array(String)}`,
    { projectId, ids },
  );
  return new Set(rows.map(({ id }) => id));
}
