import type { CacheEntry, Pool } from './kv-cache.ts';
import { joinResults, resultOf } from './results.ts';
import { type Run, type RunContext, runGraph } from './run.ts';
import type { StepRequest, StepResult } from './types.ts';

/** A request whose tokens have room in the cache. */
type Admitted = { request: StepRequest; entry: CacheEntry; result: StepResult };

/** More at once is hardly faster, and a token pays for all others of its chunk, those after it included. */
const chunkTokensMax = 256;

/** What the logits of one chunk may take. */
const logitsBytesMax = 64 * 1024 ** 2;

/** Slots between two others that are rather computed for nothing than passed over by a run of their own. */
const idleSlotsMax = 4;

/**
 * Takes all requests one step further: long ones one after the other in chunks, those of one token together with all
 * others of their pool.
 */
export async function step(context: RunContext, requests: StepRequest[]): Promise<StepResult[]> {
  const results: StepResult[] = [];
  const admitted: Admitted[] = [];
  for (const [i, request] of requests.entries()) {
    const { id, length } = request.sequence;
    context.cache.truncate(id, length);
    const entry = context.cache.reserve(id, length + request.tokens.length);
    results[i] = entry === null ? { kind: 'cacheFull' } : { kind: 'none' };
    if (entry !== null) admitted.push({ request, entry, result: results[i] });
  }
  for (const each of admitted.filter(({ request }) => request.tokens.length > 1)) await prefill(context, each);
  const singles = admitted.filter(({ request }) => request.tokens.length === 1);
  for (const group of neighbours(singles)) await decode(context, group);
  const byRequest = new Map(admitted.map(({ request, result }) => [request, result]));
  return requests.map((request, i) => byRequest.get(request) ?? results[i]!);
}

async function prefill(context: RunContext, admitted: Admitted): Promise<void> {
  const { request, entry } = admitted;
  const { tokens, wanted, reduce } = request;
  const chunks: StepResult[] = [];
  const rowsMax = Math.max(1, Math.floor(logitsBytesMax / (4 * context.config.vocabSize)));
  const chunkMax = wanted === 'all' ? Math.min(chunkTokensMax, rowsMax) : chunkTokensMax;
  for (let start = 0; start < tokens.length; start += chunkMax) {
    const chunk = tokens.subarray(start, start + chunkMax);
    const isLast = start + chunk.length === tokens.length;
    const first = wanted === 'all' ? 0 : isLast && wanted === 'last' ? chunk.length - 1 : chunk.length;
    const rows = Array.from({ length: chunk.length - first }, (_, i) => first + i);
    const targetsFrom = wanted === 'all' ? start : 0;
    const targets = [...(reduce?.targets?.subarray(targetsFrom, targetsFrom + rows.length) ?? [])];
    const outputs = await runGraph(context, {
      ...{ pool: entry.pool, firstSlot: entry.slot, entries: [entry], tokens: chunk, wanted: rows },
      ...{ reduced: reduce === undefined ? [] : rows.map((_, i) => i), top: reduce?.top ?? 1, targets },
      wantsLogits: reduce === undefined && rows.length > 0,
    });
    if (rows.length > 0)
      chunks.push(resultOf(context.config, request, outputs, { first: 0, count: rows.length, top: reduce?.top ?? 1 }));
  }
  if (chunks.length > 0) admitted.result = joinResults(chunks);
}

async function decode(context: RunContext, group: Admitted[]): Promise<void> {
  const pool = group[0]!.entry.pool;
  const firstSlot = group[0]!.entry.slot;
  const slots = group.at(-1)!.entry.slot - firstSlot + 1;
  const run: Run = {
    ...{ pool, firstSlot, entries: new Array(slots).fill(null), tokens: new Int32Array(slots) },
    ...{ wanted: [], reduced: [], top: 1, targets: [], wantsLogits: false },
  };
  const places: number[] = [];
  for (const { request, entry } of group) {
    const b = entry.slot - firstSlot;
    run.entries[b] = entry;
    run.tokens[b] = request.tokens[0]!;
    places.push(request.reduce === undefined ? run.wanted.length : run.reduced.length);
    if (request.wanted === 'none') continue;
    if (request.reduce === undefined) run.wantsLogits = true;
    else {
      run.reduced.push(run.wanted.length);
      run.targets.push(request.reduce.targets?.[0] ?? 0);
      run.top = Math.max(run.top, request.reduce.top);
    }
    run.wanted.push(b);
  }
  const outputs = await runGraph(context, run);
  for (const [i, each] of group.entries()) {
    if (each.request.wanted === 'none') continue;
    each.result = resultOf(context.config, each.request, outputs, { first: places[i]!, count: 1, top: run.top });
  }
}

/** Sequences of one pool, in the order of their slots, without long gaps between them. */
function neighbours(singles: Admitted[]): Admitted[][] {
  const byPool = new Map<Pool, Admitted[]>();
  for (const each of singles) {
    const { pool } = each.entry;
    byPool.set(pool, [...(byPool.get(pool) ?? []), each]);
  }
  const groups: Admitted[][] = [];
  for (const members of byPool.values()) {
    let previous = Number.NEGATIVE_INFINITY;
    for (const each of members.sort((a, b) => a.entry.slot - b.entry.slot)) {
      if (each.entry.slot - previous > idleSlotsMax + 1) groups.push([]);
      groups.at(-1)!.push(each);
      previous = each.entry.slot;
    }
  }
  return groups;
}
