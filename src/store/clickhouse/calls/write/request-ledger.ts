import { LRUCache } from 'lru-cache';
import type { CallRow } from '../../../../domain/calls/call-row.ts';
import { repeatedRequests } from '../../../../domain/usage/repeated-requests.ts';
import { isCounted } from '../../../../domain/usage/seen-twice.ts';
import { reportsTokens, usageOfCall } from '../../../../domain/usage/summary-usage.ts';
import type { UsageCall } from '../../../../domain/usage/usage-call.ts';
import { growsTo } from '../../../../util/grows-to.ts';
import { parsePlain } from '../../../../util/json/parse.ts';

/**
 * The recently written calls, by trace: a request that two tracers report is found when its second report is written.
 * Both reports arrive within seconds of each other, so bounded memory is enough.
 */
export type RequestLedger = {
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

  function note(row: CallRow): void {
    if (!row.isStarted) return;
    const key = `${row.projectId}/${row.traceId}`;
    const trace = traces.get(key) ?? { projectId: row.projectId, calls: new Map(), counted: 0, isPartial: false };
    traces.set(key, trace);
    const isKnown = forget(trace, row.id);
    if (row.isDeleted) return void touched.add(key);
    if (row.isRepeated && !isKnown) trace.isPartial = true;
    const call = toUsageCall(row);
    trace.calls.set(call.id, { call, isRepeated: row.isRepeated });
    known++;
    if (isCounted(call)) trace.counted++;
    if (trace.counted > 1) touched.add(key);
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

function toUsageCall(row: CallRow): UsageCall {
  const { startedAt, endedAt, mapperVersion, attributes, summary } = row;
  const isSpan = mapperVersion > 0;
  const hasTokens = reportsTokens(summary);
  return {
    id: copied(row.id),
    parentId: copied(row.parentId),
    traceId: '', // all calls here are of one trace
    startedAt,
    endedAt,
    isSpan,
    opName: hasTokens ? copied(row.opName) : '',
    responseId: isSpan && hasTokens ? responseIdOf(attributes) : '',
    usage: hasTokens ? usageOfCall(row) : [],
  };
}

function responseIdOf(attributes: string): string {
  if (!attributes.includes('"response_id"')) return '';
  const { response_id: id } = parsePlain(attributes) as { response_id?: unknown };
  return typeof id === 'string' ? id : '';
}

/** A copy that does not keep the request body that the string was cut from in memory. */
function copied(text: string): string {
  return text.length < 13 ? text : Buffer.from(text).toString(); // shorter strings are never slices
}
