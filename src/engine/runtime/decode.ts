import type { CacheEntry, Pool } from './kv-cache.ts';
import { resultOf } from './results.ts';
import { type GraphRun, type RunContext, runGraph } from './run.ts';
import type { StepRequest, StepResult } from './types.ts';

/** A request of one token, with room in the cache. `place` is its index in the step. */
export type Decoding = { request: StepRequest; entry: CacheEntry; place: number };

/** Maximum number of unused slots between two used ones in a run: computing them costs less than another run. */
const idleSlotsMax = 4;

/** Computes one token of each sequence. Sequences in neighbouring slots of a pool share a run. */
export async function decode(
  context: RunContext,
  decodings: Decoding[],
): Promise<{ place: number; result: StepResult }[]> {
  const results: { place: number; result: StepResult }[] = [];
  for (const group of groups(context, decodings)) {
    const run = runOf(group);
    const outputs = await runGraph(context, run);
    const next = { whole: 0, reduced: 0 };
    for (const { request, place } of group) {
      if (request.wanted === 'none') continue;
      const row = { first: request.reduce === undefined ? next.whole : next.reduced, count: 1, top: run.top };
      results.push({ place, result: resultOf(context.config, request, outputs, row) });
      next.whole++;
      if (request.reduce !== undefined) next.reduced++;
    }
  }
  return results;
}

function runOf(group: Decoding[]): GraphRun {
  const { pool, slot: firstSlot } = group[0]!.entry;
  const slots = group.at(-1)!.entry.slot - firstSlot + 1;
  const run: GraphRun = {
    pool,
    firstSlot,
    entries: new Array(slots).fill(null),
    adapters: new Array(slots).fill(null),
    tokens: new Int32Array(slots),
    wanted: [],
    reduced: [],
    top: 1,
    targets: [],
    wantsLogits: false,
    described: [],
  };
  for (const { request, entry } of group) {
    const { wanted, reduce } = request;
    const b = entry.slot - firstSlot;
    run.entries[b] = entry;
    run.adapters[b] = request.sequence.adapterId;
    run.tokens[b] = request.tokens[0]!;
    if (wanted === 'none') continue;
    if (reduce === undefined) run.wantsLogits = true;
    else {
      run.reduced.push(run.wanted.length);
      run.targets.push(reduce.targets?.[0] ?? 0);
      run.top = Math.max(run.top, reduce.top);
    }
    run.wanted.push(b);
  }
  return run;
}

/**
 * Groups the sequences into runs. If results must not depend on the batch, each sequence with an adapter has its own run,
 * because products with unpacked weights add in another order for one row than for several.
 */
function groups({ batchInvariant }: RunContext, decodings: Decoding[]): Decoding[][] {
  if (!batchInvariant) return neighbours(decodings);
  const isAdapted = ({ request }: Decoding) => request.sequence.adapterId !== null;
  const alone = decodings.filter(isAdapted).map((each) => [each]);
  return [...alone, ...neighbours(decodings.filter((each) => !isAdapted(each)))];
}

/** Groups of sequences in one pool, in the order of their slots, without long gaps. */
function neighbours(decodings: Decoding[]): Decoding[][] {
  const groups: Decoding[][] = [];
  for (const members of Map.groupBy(decodings, ({ entry }): Pool => entry.pool).values()) {
    let previous = Number.NEGATIVE_INFINITY;
    for (const each of members.sort((a, b) => a.entry.slot - b.entry.slot)) {
      if (each.entry.slot - previous > idleSlotsMax + 1) groups.push([]);
      groups.at(-1)!.push(each);
      previous = each.entry.slot;
    }
  }
  return groups;
}
