/** The place of a call in its trace. */
export type TraceCall = { id: string; parentId: string; startedAt: number };

/**
 * The call that represents a trace without a root: of the calls whose parent is not stored, the one that started first,
 * then the one with the smallest id. Calls in a cycle, and calls that name themselves as their parent, count too, so
 * every trace has one. Null for a trace with a root, which represents it.
 */
export function topmostOf(calls: TraceCall[]): string | null {
  if (calls.some(({ parentId }) => parentId === '')) return null;
  const [first, ...others] = callsWithoutParent(calls);
  if (!first) return null;
  return others.reduce((top, call) => (isBefore(call, top) ? call : top), first).id;
}

/** The calls whose parent is not among these. Calls in a cycle count as such calls. */
export function callsWithoutParent<Call extends TraceCall>(calls: Call[]): Call[] {
  const byId = new Map(calls.map((call) => [call.id, call]));
  return [...calls.filter(({ parentId }) => !byId.has(parentId)), ...inCycles(calls, byId)];
}

function isBefore(a: TraceCall, b: TraceCall): boolean {
  return a.startedAt !== b.startedAt ? a.startedAt < b.startedAt : a.id < b.id;
}

/** Each call leads to one parent, so following parents ends outside of the trace or goes round. */
function inCycles<Call extends TraceCall>(calls: Call[], byId: ReadonlyMap<string, Call>): Call[] {
  const seen = new Set<Call>();
  const found: Call[] = [];
  for (const start of calls) {
    const path = new Set<Call>();
    let call: Call | undefined = start;
    while (call && !seen.has(call)) {
      seen.add(call);
      path.add(call);
      call = byId.get(call.parentId);
    }
    if (!call || !path.has(call)) continue;
    const all = [...path];
    found.push(...all.slice(all.indexOf(call)));
  }
  return found;
}
