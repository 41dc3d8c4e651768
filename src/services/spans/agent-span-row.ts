import type { ReadSpan } from '../../otel/read-export.ts';
import type { AgentSpanRow } from '../../store/clickhouse/spans/agent-spans.ts';
import { nowMicroseconds } from '../../util/timestamp.ts';

export function agentSpanRow(
  { call, span, raw }: ReadSpan,
  { projectId, userId }: { projectId: string; userId: string },
): AgentSpanRow {
  const { startedAt, endedAt, id: spanId } = call;
  return { projectId, startedAt, ...span, spanId, version: nowMicroseconds(), endedAt, wbUserId: userId, raw };
}
