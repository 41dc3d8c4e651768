import { LRUCache } from 'lru-cache';
import type { CallRow } from '../../../../domain/calls/call-row.ts';
import { repeatedRequests } from '../../../../domain/usage/repeated-requests.ts';
import { isCounted } from '../../../../domain/usage/seen-twice.ts';
import type { UsageCall } from '../../../../domain/usage/usage-call.ts';
import { growsTo } from '../../../../util/grows-to.ts';
import type { RecentUsage } from '../find/find-recent-usage.ts';
import { ofOneTrace, toUsageCall } from './to-usage-call.ts';

/**
 * The recently written calls, by trace: a request that two tracers report is found when its second report is written.
 * Both reports arrive within seconds of each other, or of a restart between them, so bounded memory is enough.
 */
export type RequestLedger = {
  /** Records what was stored before the server started. */
  resume(calls: RecentUsage[]): void;
  /** Records a new version of a call. */
  note(row: CallRow): void;
  /** The calls whose mark changes, in the traces recorded since the last time. */
  settle(): RepeatedMark[];
};

export type RepeatedMark = { projectId: string; id: string; isRepeated: boolean };

type Trace = {
  projectId: string;
  calls: Map<string, { call: UsageCall; isRepeated: boolean }>;
  counted: number;
  /** Whether stored calls of the trace may be missing here: then no mark is removed. */
  isPartial: boolean;
};

export function openRequestLedger({ callsMax = 50_000, traceCallsMax = 500 } = {}): RequestLedger {
  const traces = new LRUCache<string, Trace>({
    ...growsTo(callsMax),
    dispose: ({ calls }) => {
      known -= calls.size;
    },
  });
  const touched = new Set<string>();
  let known = 0;

  function traceOf(key: string, projectId: string): Trace {
    const trace = traces.get(key) ?? { projectId, calls: new Map(), counted: 0, isPartial: false };
    traces.set(key, trace);
    return trace;
  }

  function note(row: CallRow): void {
    if (!row.isStarted) return;
    const key = keyOf(row);
    const trace = traceOf(key, row.projectId);
    const isKnown = forget(trace, row.id);
    if (row.isDeleted) return void touched.add(key);
    if (row.isRepeated && !isKnown) trace.isPartial = true;
    add(trace, toUsageCall(row), row.isRepeated);
    if (trace.counted > 1) touched.add(key);
  }

  function add(trace: Trace, call: UsageCall, isRepeated: boolean): void {
    trace.calls.set(call.id, { call, isRepeated });
    known++;
    if (isCounted(call)) trace.counted++;
    if (trace.calls.size > traceCallsMax) {
      forget(trace, trace.calls.keys().next().value!);
      trace.isPartial = true;
    }
    while (known > callsMax) traces.pop();
  }

  function forget(trace: Trace, id: string): boolean {
    const entry = trace.calls.get(id);
    if (!entry) return false;
    trace.calls.delete(id);
    known--;
    if (isCounted(entry.call)) trace.counted--;
    return true;
  }

  return {
    resume(calls) {
      for (const { projectId, call, isRepeated } of calls) {
        const trace = traceOf(keyOf({ projectId, traceId: call.traceId }), projectId);
        trace.isPartial = true;
        add(trace, { ...call, traceId: ofOneTrace }, isRepeated);
      }
    },
    note,
    settle() {
      const marks: RepeatedMark[] = [];
      for (const key of touched) {
        const trace = traces.get(key);
        if (trace) marks.push(...marksOf(trace));
      }
      touched.clear();
      return marks;
    },
  };
}

function marksOf({ projectId, calls, isPartial }: Trace): RepeatedMark[] {
  const repeated = repeatedRequests([...calls.values()].map(({ call }) => call));
  const marks: RepeatedMark[] = [];
  for (const [id, entry] of calls) {
    const isRepeated = repeated.has(id) || (isPartial && entry.isRepeated);
    if (isRepeated === entry.isRepeated) continue;
    entry.isRepeated = isRepeated;
    marks.push({ projectId, id, isRepeated });
  }
  return marks;
}

const keyOf = ({ projectId, traceId }: { projectId: string; traceId: string }) => `${projectId}/${traceId}`;
