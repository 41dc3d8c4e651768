import type { ClickHouse } from '../../clickhouse.ts';
import { newestOfTraces } from './newest-of-traces.ts';

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

export function findSpanPlaces(clickhouse: ClickHouse, projectId: string, traceIds: string[]): Promise<SpanPlace[]> {
  return clickhouse.query<SpanPlace>(newestOfTraces(columns), { projectId, traceIds });
}

const columns = `id, trace_id AS traceId, parent_id AS parentId, toBool(mapper_version > 0) AS isSpan,
  toBool(position(attributes, '"kind":') > 0) AS hasKind, toBool(arrayExists(u -> u.3 + u.4 > 0, usage)) AS isCounted`;

/** Which of these calls any process has received something of. */
export async function findReceived(clickhouse: ClickHouse, projectId: string, ids: string[]): Promise<Set<string>> {
  const rows = await clickhouse.query<{ id: string }>(
    `SELECT DISTINCT call_id AS id FROM call_parts
     WHERE project_id = {projectId:String} AND call_id IN {ids:Array(String)}`,
    { projectId, ids },
  );
  return new Set(rows.map(({ id }) => id));
}
