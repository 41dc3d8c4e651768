import { LRUCache } from 'lru-cache';
import { spanCallId } from '../../domain/calls/ids.ts';
import { asStored } from '../../otel/mapper/as-stored.ts';
import type { ReadSpan } from '../../otel/read-export.ts';
import { findTraceCalls } from '../../store/clickhouse/calls/find/find-trace-calls.ts';
import type { CallWrite, WriteOutcome } from '../../store/clickhouse/calls/write/call-write.ts';
import type { Failure } from '../../util/failures.ts';
import type { Deps } from '../deps.ts';

/** A span, and the write of its call. */
export type SpanWrite = { read: ReadSpan; write: CallWrite };

/**
 * Writes the calls of spans. The id of a call is the id of its span, unless a span of another trace has the same id:
 * then it is derived from the ids of the trace and the span.
 */
export type SpanWriter = { write(spans: SpanWrite[]): Promise<(WriteOutcome | Failure)[]> };

export function openSpanWriter({ calls, clickhouse }: Pick<Deps, 'calls' | 'clickhouse'>): SpanWriter {
  /** Traces with derived ids: children can be written after their parents. */
  const withTwins = new LRUCache<string, true>({ max: 10_000 });

  async function write(spans: SpanWrite[]): Promise<(WriteOutcome | Failure)[]> {
    const outcomes = await calls.writeEach(spans.map((span) => span.write));
    const twins = [...outcomes.keys()].filter((i) => outcomes[i] === 'ofOtherTrace');
    const again = await calls.writeEach(twins.map((i) => withOwnId(spans[i]!)));
    for (const [at, i] of twins.entries()) {
      outcomes[i] = again[at]!;
      withTwins.set(traceOf(spans[i]!), true);
    }
    const affected = spans.filter((span) => withTwins.get(traceOf(span)));
    if (affected.length > 0) await relink(affected);
    return outcomes;
  }

  /** Makes calls refer to their parents by the parents' current ids. */
  async function relink(spans: SpanWrite[]): Promise<void> {
    const byProject = Map.groupBy(spans, ({ write: { projectId } }) => projectId);
    for (const [projectId, of] of byProject) {
      const traceIds = [...new Set(of.map(({ read: { call } }) => call.traceId))];
      const placed = await findTraceCalls(clickhouse.internal, projectId, traceIds);
      const known = new Set(placed.map(({ id, traceId }) => `${traceId}/${id}`));
      const writes = placed.flatMap(({ id, traceId, parentId }): CallWrite[] => {
        const moved = spanCallId(traceId, parentId);
        const isMoved = parentId !== '' && !known.has(`${traceId}/${parentId}`) && known.has(`${traceId}/${moved}`);
        return isMoved ? [{ projectId, id, part: { kind: 'parent', parentId: moved } }] : [];
      });
      await calls.writeEach(writes);
    }
  }

  return { write };
}

function withOwnId({ read: { call, span }, write }: SpanWrite): CallWrite {
  const id = spanCallId(span.traceId, call.id);
  if (!('start' in write.part)) return { ...write, id };
  const { turnId } = asStored(call, { id, parentId: call.parentId }, span.traceId);
  return { ...write, id, part: { ...write.part, start: { ...write.part.start, turnId } } };
}

function traceOf({ read: { call }, write: { projectId } }: SpanWrite): string {
  return `${projectId}/${call.traceId}`;
}
