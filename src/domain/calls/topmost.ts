/** The place of a call in its trace. */
export type TraceCall = { id: string; parentId: string; startedAt: number };

/**
 * The call that stands for a trace without a root: of the calls whose parent is not here, the one that started first, then
 * the one with the smallest id. Calls in a cycle, and calls that name themselves as their parent, count as such calls, so
 * every trace has one. Null for a trace with a root, which stands for it.
 */
export function topmostOf(calls: TraceCall[]): string | null {
  if (calls.some(({ parentId }) => parentId === '')) return null;
  const byId = new Map(calls.map((call) => [call.id, call]));
  const candidates = [...calls.filter(({ parentId }) => !byId.has(parentId)), ...inCycles(calls, byId)];
  const [first, ...others] = candidates;
  if (!first) return null;
  return others.reduce((top, call) => (isBefore(call, top) ? call : top), first).id;
}

function isBefore(a: TraceCall, b: TraceCall): boolean {
  return a.startedAt !== b.startedAt ? a.startedAt < b.startedAt : a.id < b.id;
}

/** Each call leads to one parent, so following parents ends outside of the trace or goes round. */
function inCycles(calls: TraceCall[], byId: ReadonlyMap<string, TraceCall>): TraceCall[] {
  const seen = new Set<TraceCall>();
  const found: TraceCall[] = [];
  for (const start of calls) {
    const path = new Set<TraceCall>();
    let call: TraceCall | undefined = start;
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
