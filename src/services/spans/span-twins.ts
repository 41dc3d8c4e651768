import { LRUCache } from 'lru-cache';
import type { CallKey } from '../../domain/calls/call-row.ts';
import { spanCallId } from '../../domain/calls/ids.ts';
import { asStored } from '../../otel/mapper/as-stored.ts';
import type { ReadSpan } from '../../otel/read-export.ts';
import { findReceived } from '../../store/clickhouse/calls/find/find-span-places.ts';
import { findTraceCalls } from '../../store/clickhouse/calls/find/find-trace-calls.ts';
import type { CallWrite, WriteOutcome } from '../../store/clickhouse/calls/write/call-write.ts';
import type { Failure } from '../../util/failures.ts';
import { openPasses } from '../../util/passes.ts';
import type { Deps } from '../deps.ts';

/** A span, and the write of its call. */
export type SpanWrite = { read: ReadSpan; write: CallWrite };

/**
 * Writes the calls of spans. The id of a call is the id of its span, unless a span of another trace has the same id:
 * then it is derived from the ids of the trace and the span.
 */
export type SpanWriter = { write(spans: SpanWrite[]): Promise<(WriteOutcome | Failure)[]> };

export function openSpanWriter({ calls, clickhouse, peers }: Pick<Deps, 'calls' | 'clickhouse' | 'peers'>): SpanWriter {
  /** Traces with derived ids: children can be written after their parents. Beside other processes, they are looked for. */
  const withTwins = new LRUCache<string, true>({ max: 10_000 });

  const received = openPasses(async (calls: CallKey[]) => {
    const found = new Set<string>();
    for (const [projectId, of] of Map.groupBy(calls, (call) => call.projectId)) {
      const ids = of.map(({ id }) => id);
      for (const id of await findReceived(clickhouse.internal, projectId, ids)) found.add(keyOf({ projectId, id }));
    }
    return found;
  });

  async function write(spans: SpanWrite[]): Promise<(WriteOutcome | Failure)[]> {
    const outcomes = await calls.writeEach(spans.map((span) => span.write));
    const twins = [...outcomes.keys()].filter((i) => outcomes[i] === 'ofOtherTrace');
    const again = await calls.writeEach(twins.map((i) => withOwnId(spans[i]!)));
    for (const [at, i] of twins.entries()) {
      outcomes[i] = again[at]!;
      withTwins.set(traceOf(spans[i]!), true);
    }
    const affected = peers.isAlone
      ? spans.filter((span) => withTwins.get(traceOf(span)))
      : await findAffected(spans, twins);
    if (affected.length > 0) await relink(affected);
    return outcomes;
  }

  /** The spans that have derived ids, or whose parents have one, whichever process has stored them. */
  async function findAffected(spans: SpanWrite[], twins: number[]): Promise<SpanWrite[]> {
    const children = spans.filter(({ read }) => read.call.parentId !== '');
    const moved = children.length > 0 ? await received(children.map(movedParent)) : new Set();
    return [...twins.map((i) => spans[i]!), ...children.filter((child) => moved.has(keyOf(movedParent(child))))];
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

/** The id that the parent of a span has if its own one is derived. */
function movedParent({ read: { call, span }, write: { projectId } }: SpanWrite): CallKey {
  return { projectId, id: spanCallId(span.traceId, call.parentId) };
}

const keyOf = ({ projectId, id }: CallKey) => `${projectId}/${id}`;

function traceOf({ read: { call }, write: { projectId } }: SpanWrite): string {
  return `${projectId}/${call.traceId}`;
}
