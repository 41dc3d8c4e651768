import { createHash } from 'node:crypto';
import { nowMicroseconds } from '../../../util/timestamp.ts';
import type { BatchedInserter } from '../batched-inserter.ts';
import type { ClickHouse } from '../clickhouse.ts';
import { insertLine } from '../rows/insert-line.ts';

/** An event of a span that came as a log record; `event` is JSON. */
export type SpanEventRow = { projectId: string; traceId: string; spanId: string; time: bigint; event: string };

/** Resolves when the events are durable. An event that is sent again is stored once. */
export async function insertSpanEvents(inserter: BatchedInserter, rows: SpanEventRow[]): Promise<void> {
  if (rows.length > 0) await inserter.insert('span_events', rows.map(toInsertLine).join(''));
}

/** The events of these spans by span id, in order of time. */
export async function readSpanEvents(
  clickhouse: ClickHouse,
  projectId: string,
  spanIds: string[],
): Promise<Map<string, { traceId: string; event: string }[]>> {
  const rows = await clickhouse.query<{ spanId: string; traceId: string; event: string }>(
    `SELECT span_id AS spanId, trace_id AS traceId, event
     FROM span_events FINAL
     WHERE project_id = {projectId:String} AND span_id IN {spanIds:Array(String)}
     ORDER BY span_id, time_unix_nano, version, digest`,
    { projectId, spanIds },
  );
  return Map.groupBy(rows, ({ spanId }) => spanId);
}

/** The spans that most recently received events, newest first. */
export async function newestSpansWithEvents(
  clickhouse: ClickHouse,
  limit: number,
): Promise<{ projectId: string; spanId: string }[]> {
  return clickhouse.query(
    `SELECT project_id AS projectId, span_id AS spanId
     FROM span_events GROUP BY project_id, span_id ORDER BY max(received_at) DESC LIMIT {limit:UInt32}`,
    { limit },
  );
}

function toInsertLine({ projectId, traceId, spanId, time, event }: SpanEventRow): string {
  const now = nowMicroseconds();
  return insertLine('span_events', {
    project_id: projectId,
    trace_id: traceId,
    span_id: spanId,
    time_unix_nano: String(time),
    digest: createHash('sha256').update(event).digest('base64url').slice(0, 16),
    version: now,
    received_at: now,
    event,
  });
}
