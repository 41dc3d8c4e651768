import type { ReadSpan } from '../../otel/read-export.ts';
import type { AgentSpanRow } from '../../store/clickhouse/spans/agent-spans.ts';

/** Of several copies of a span, the one that ended last is kept: the others were sent before its end. */
export function agentSpanRow(
  { call, span, raw }: ReadSpan,
  { projectId, userId }: { projectId: string; userId: string },
): AgentSpanRow {
  const { startedAt, endedAt, id: spanId } = call;
  return { projectId, startedAt, ...span, spanId, version: endedAt ?? 0, endedAt, wbUserId: userId, raw };
}
