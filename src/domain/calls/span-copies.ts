import type { CallRow } from './call-row.ts';
import type { CallPart } from './part.ts';

/**
 * How an exported span relates to the stored call of its id. `ofOtherTrace`: OpenTelemetry identifies a span by its trace
 * and its own id, so this is another call. `outdated`: a copy that was sent before the stored one ended.
 */
export type SpanRelation = 'same' | 'ofOtherTrace' | 'outdated';

export function relationOf(known: CallRow | null, part: CallPart, spanTraceId: string): SpanRelation {
  if (!known?.isStarted || known.mapperVersion === 0) return 'same';
  if (known.traceId !== spanTraceId && traceOfSpan(known) !== spanTraceId) return 'ofOtherTrace';
  if (known.endedAt === null) return 'same';
  const isOutdated = part.kind !== 'complete' || part.end.endedAt < known.endedAt;
  return isOutdated ? 'outdated' : 'same';
}

/** The trace that the span itself names: the call may belong to that of an SDK. */
function traceOfSpan({ otelDump }: CallRow): string | undefined {
  return /"context":\{"trace_id":"([^"]*)"/.exec(otelDump)?.[1];
}
