import type { Context } from '../../context.ts';
import type { callsUsage } from '../../contract/calls/usage.ts';
import { badRequest, tooLarge } from '../../contract/errors.ts';
import { type RolledUsage, rollUp, type UsageCall } from '../../domain/usage/roll-up.ts';
import type { Handler } from '../../http/bind.ts';
import type { CallsSelection } from '../../store/clickhouse/calls/calls-query.ts';
import { findTraces } from '../../store/clickhouse/calls/find-traces.ts';
import { countTraces, readUsage } from '../../store/clickhouse/calls/read-usage.ts';
import type { ClickHouse } from '../../store/clickhouse/clickhouse.ts';
import { projectPrices } from '../../services/costs/project-prices.ts';
import { callsOfTraces } from './selection.ts';
import { usageCallsMax } from './trace-usage.ts';
import { unfinishedIds, usageAnswer } from './usage-answer.ts';

const idsMax = 1000;

/** Whole traces are read, as many at once as have at most `limit` calls. */
export function showCallsUsage(context: Context): Handler<typeof callsUsage> {
  return async ({ body, caller }) => {
    const { call_ids: ids, include_costs: hasCosts } = body;
    if (body.limit < 1) throw badRequest(`limit must be at least 1, found ${body.limit}`);
    if (ids.length > idsMax) throw badRequest(`call_ids may have ${idsMax} entries, found ${ids.length}`);
    const limit = Math.min(body.limit, usageCallsMax);
    const projectId = await context.identity.projectForRead(caller, body.project_id);
    const usage = new Map<string, RolledUsage | null>(ids.map((id) => [id, null]));
    if (usage.size === 0) return usageAnswer(usage, [], { hasCosts });
    const traces = await findTraces(context.clickhouse, projectId, [...usage.keys()]);
    const book = hasCosts ? await projectPrices(context, projectId) : null;
    const unfinished: string[] = [];
    const selection = (traceIds: string[]) => callsOfTraces(projectId, body.project_id, traceIds);
    for await (const calls of wholeTraces(context.clickhouse, traces, selection, limit)) {
      for (const [id, rolled] of rollUp(calls, book)) if (usage.has(id)) usage.set(id, rolled);
      unfinished.push(...unfinishedIds(calls));
    }
    return usageAnswer(usage, unfinished, { hasCosts });
  };
}

/** The calls of these traces in batches of whole traces. @throws ApiError 413 when one of them is larger than `limit`. */
async function* wholeTraces(
  clickhouse: ClickHouse,
  traces: string[],
  selection: (traceIds: string[]) => CallsSelection,
  limit: number,
): AsyncGenerator<UsageCall[]> {
  if (traces.length === 0) return;
  const all = await readUsage(clickhouse, selection(traces), limit + 1);
  if (all.length <= limit) return yield all;
  const sizes = await countTraces(clickhouse, selection(traces));
  for (const batch of batchesOf(sizes, limit)) yield await readUsage(clickhouse, selection(batch), limit);
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
