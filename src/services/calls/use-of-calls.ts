import { type RolledUsage, rollUp } from '../../domain/usage/roll-up.ts';
import type { UsageCall } from '../../domain/usage/usage-call.ts';
import { usageOfTraces } from '../../domain/usage/usage-of-traces.ts';
import type { UsageByModel } from '../../domain/usage/usage-sum.ts';
import { findTraces } from '../../store/clickhouse/calls/find/find-traces.ts';
import { countTraces, readUsage } from '../../store/clickhouse/calls/find/read-usage.ts';
import type { CallsSelection } from '../../store/clickhouse/calls/sql/calls-query.ts';
import type { ClickHouse } from '../../store/clickhouse/clickhouse.ts';
import { invalidInput, tooLarge } from '../../util/failures.ts';
import { projectPrices } from '../costs/project-prices.ts';
import type { Deps } from '../deps.ts';
import type { Project } from '../owner.ts';
import { type CallsSought, selectionOf } from './query-calls.ts';

/**
 * The usage of calls, each with all its descendants; null for an unknown id. `ofTraces` is the usage of all calls in
 * their traces.
 */
export type UseOfCalls = {
  usage: Map<string, RolledUsage | null>;
  ofTraces: Map<string, UsageByModel>;
  unfinishedIds: string[];
};

export type MeasureUse = {
  /**
   * The usage of all selected calls, rolled up among them.
   * @throws Failure if there are more than 100,000
   */
  useOfSought(sought: CallsSought & { limit: number; includeCosts: boolean }): Promise<UseOfCalls>;
  /**
   * The usage of these calls. Reads whole traces, as many at once as together have at most `limit` calls.
   * @throws Failure if a trace has more calls than the limit
   */
  useOfIds(ids: string[], of: { project: Project; limit: number; includeCosts: boolean }): Promise<UseOfCalls>;
};

/** How many calls are held in memory at once. */
const callsMax = 100_000;
const idsMax = 1000;

export function openMeasureUse(deps: Pick<Deps, 'clickhouse' | 'postgres'>): MeasureUse {
  const { clickhouse } = deps;
  return {
    async useOfSought({ limit, includeCosts, ...sought }) {
      if (limit < 0) throw invalidInput(`limit must not be negative, found ${limit}`);
      const calls = await readUsage(clickhouse, await selectionOf(deps, sought), Math.min(limit, callsMax + 1));
      if (calls.length > callsMax) {
        throw tooLarge(`More than ${callsMax} calls match. Ask for fewer, by a filter or by limit.`);
      }
      const book = includeCosts ? await projectPrices(deps, sought.project.id) : null;
      const usage = rollUp(calls, book);
      return { usage, ofTraces: usageOfTraces(calls, usage), unfinishedIds: unfinishedIds(calls) };
    },

    async useOfIds(ids, { project, limit, includeCosts }) {
      if (limit < 1) throw invalidInput(`limit must be at least 1, found ${limit}`);
      if (ids.length > idsMax) throw invalidInput(`call_ids may have ${idsMax} entries, found ${ids.length}`);
      const usage = new Map<string, RolledUsage | null>(ids.map((id) => [id, null]));
      const ofTraces: UseOfCalls['ofTraces'] = new Map();
      if (usage.size === 0) return { usage, ofTraces, unfinishedIds: [] };
      const traces = await findTraces(clickhouse, project.id, [...usage.keys()]);
      const book = includeCosts ? await projectPrices(deps, project.id) : null;
      const unfinished: string[] = [];
      const selection = (traceIds: string[]) => selectionOf(deps, { project, filter: { trace_ids: traceIds } });
      for await (const calls of wholeTraces(clickhouse, traces, selection, Math.min(limit, callsMax))) {
        const all = rollUp(calls, book);
        for (const [id, rolled] of all) if (usage.has(id)) usage.set(id, rolled);
        for (const [traceId, total] of usageOfTraces(calls, all)) ofTraces.set(traceId, total);
        unfinished.push(...unfinishedIds(calls));
      }
      return { usage, ofTraces, unfinishedIds: unfinished };
    },
  };
}

function unfinishedIds(calls: UsageCall[]): string[] {
  return calls.filter(({ endedAt }) => endedAt === null).map(({ id }) => id);
}

/** The calls of these traces in batches of whole traces. @throws Failure if one of them is larger than `limit`. */
async function* wholeTraces(
  clickhouse: ClickHouse,
  traces: string[],
  selection: (traceIds: string[]) => Promise<CallsSelection>,
  limit: number,
): AsyncGenerator<UsageCall[]> {
  if (traces.length === 0) return;
  const all = await readUsage(clickhouse, await selection(traces), limit + 1);
  if (all.length <= limit) return yield all;
  const sizes = await countTraces(clickhouse, await selection(traces));
  for (const batch of batchesOf(sizes, limit)) yield await readUsage(clickhouse, await selection(batch), limit);
}

function batchesOf(sizes: Map<string, number>, limit: number): string[][] {
  const batches: string[][] = [];
  let room = 0;
  for (const [trace, size] of sizes) {
    if (size > limit) throw tooLarge(`A trace has ${size} calls, more than the limit of ${limit}`);
    if (size > room) {
      batches.push([]);
      room = limit;
    }
    batches.at(-1)!.push(trace);
    room -= size;
  }
  return batches;
}
