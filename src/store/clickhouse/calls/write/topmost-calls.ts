import { LRUCache } from 'lru-cache';
import type { CallRow } from '../../../../domain/calls/call-row.ts';
import { topmostOf } from '../../../../domain/calls/topmost.ts';
import { growsTo } from '../../../../util/grows-to.ts';
import { idHash, KnownIds } from '../../../../util/known-ids.ts';
import type { Peers } from '../../../peers/peers.ts';
import type { ClickHouse } from '../../clickhouse.ts';
import { findMarkedTraces, findTraceCalls, findUnsettledTraces, type TraceKey } from '../find/find-trace-calls.ts';
import type { CallWrite } from './call-write.ts';

/**
 * Keeps the mark of the call that represents each trace without a root, so that lists find it as fast as roots. A trace is
 * settled shortly after it was written, in the background: most traces have their root by then, and cost nothing. Beside
 * other processes, `before` is not known, and a trace is looked at again after each mark: its root may have arrived elsewhere.
 */
export type TopmostCalls = {
  /** Records a version of a call that was written, and the one before it. */
  note(row: CallRow, before: CallRow | null): void;
  /** Records that a trace has a root and no mark, as the store says after the root was written. */
  noteSettled(trace: TraceKey): void;
  /** Settles what was noted, before the store closes; what the store does not answer is settled after the next start. */
  drain(): Promise<void>;
};

type Write = (writes: CallWrite[]) => Promise<unknown>;

export function openTopmostCalls(
  clickhouse: ClickHouse,
  { isAlone, count }: Pick<Peers, 'isAlone' | 'count'>,
  write: Write,
  settleMs = 500,
): TopmostCalls {
  /** Traces with a root; dropping one costs a read. Another process may delete a root, so it is empty beside others. */
  const withRoot = new LRUCache<string, true>(growsTo(100_000));
  const marked = new KnownIds();
  let isMarkedComplete = false;
  let waiting = new Map<string, TraceKey>();
  let settling = new Map<string, TraceKey>();
  let isScheduled = false;
  let isEnding = false;
  /** Until then, the store is left to others: all processes together use a fifth of its time at most. */
  let restUntil = 0;
  let pass: Promise<void> = Promise.resolve();

  if (isAlone) void resume();

  /** Goes on where the server stopped; if that fails, traces are settled when they are written again. */
  async function resume(): Promise<void> {
    try {
      for (const hash of await findMarkedTraces(clickhouse)) marked.add(hash);
      isMarkedComplete = true;
      for (const trace of await findUnsettledTraces(clickhouse)) wait(trace);
    } catch {}
  }

  function setWithRoot(key: string): void {
    if (isAlone) withRoot.set(key, true);
  }

  function wait(trace: TraceKey): void {
    waiting.set(keyOf(trace), trace);
    schedule(Math.max(settleMs, restUntil - performance.now()));
  }

  function schedule(ms: number): void {
    if (isScheduled || isEnding) return;
    isScheduled = true;
    setTimeout(() => {
      isScheduled = false;
      pass = settleWaiting();
    }, ms).unref();
  }

  /** One pass at a time; traces that cannot be settled now are settled later. */
  async function settleWaiting(): Promise<void> {
    if (settling.size > 0) return schedule(settleMs);
    [settling, waiting] = [waiting, new Map()];
    const startedAt = performance.now();
    try {
      for (const [projectId, traces] of Map.groupBy(settling.values(), (trace) => trace.projectId)) {
        for (let from = 0; from < traces.length; from += tracesMax) {
          await settle(projectId, traces.slice(from, from + tracesMax));
        }
      }
      restUntil = performance.now() + 4 * count() * (performance.now() - startedAt);
    } catch {
      restUntil = performance.now() + failedMs;
      for (const trace of settling.values()) wait(trace);
    }
    settling = new Map();
  }

  async function settle(projectId: string, traces: TraceKey[]): Promise<void> {
    const traceIds = traces.map(({ traceId }) => traceId);
    const found = Map.groupBy(await findTraceCalls(clickhouse, projectId, traceIds), ({ traceId }) => traceId);
    const writes: CallWrite[] = [];
    for (const traceId of traceIds) {
      const key = keyOf({ projectId, traceId });
      const calls = found.get(traceId) ?? [];
      const topmost = topmostOf(calls);
      if (topmost !== null) {
        withRoot.delete(key);
        marked.add(idHash(key));
      } else if (calls.length > 0) setWithRoot(key);
      for (const { id, isTopmost } of calls) {
        if (isTopmost === (id === topmost)) continue;
        writes.push({ projectId, id, part: { kind: 'topmost', isTopmost: id === topmost } });
      }
    }
    if (writes.length > 0) await write(writes);
  }

  return {
    note(row, before) {
      if (before?.isStarted && !before.isDeleted && hasLeft(row, before)) {
        withRoot.delete(keyOf(before)); // it may have been the root
        wait(traceOf(before));
      }
      if (row.isDeleted || !row.isStarted) return;
      if (before && before.isTopmost !== row.isTopmost && !hasLeft(row, before)) return; // the mark itself, by one process alone
      const key = keyOf(row);
      if (row.parentId !== '') {
        if (!withRoot.get(key)) wait(traceOf(row));
        return;
      }
      setWithRoot(key);
      const mayBeMarked = !isMarkedComplete || settling.has(key) || marked.mayHave(idHash(key));
      if (mayBeMarked) wait(traceOf(row));
      else waiting.delete(key);
    },
    noteSettled(trace) {
      waiting.delete(keyOf(trace));
    },
    async drain() {
      isEnding = true;
      await pass;
      await settleWaiting();
    },
  };
}

/** The traces of one query: the index over traces rules out less with each. */
const tracesMax = 50;
const failedMs = 10_000;

/** Whether a call is no longer where it was in its trace. */
function hasLeft(row: CallRow, before: CallRow): boolean {
  return row.isDeleted || row.traceId !== before.traceId || row.parentId !== before.parentId;
}

function traceOf({ projectId, traceId }: CallRow): TraceKey {
  return { projectId, traceId };
}

function keyOf({ projectId, traceId }: TraceKey): string {
  return `${projectId}/${traceId}`;
}
