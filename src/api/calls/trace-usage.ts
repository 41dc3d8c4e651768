import type { Context } from '../../context.ts';
import type { traceUsage } from '../../contract/calls/trace-usage.ts';
import { badRequest, tooLarge } from '../../contract/errors.ts';
import { rollUp } from '../../domain/usage/roll-up.ts';
import type { Handler } from '../../http/bind.ts';
import { readUsage } from '../../store/clickhouse/calls/read-usage.ts';
import { projectPrices } from '../../services/costs/project-prices.ts';
import { selectionOf } from './selection.ts';
import { throughQueues } from '../../services/calls/through-queues.ts';
import { unfinishedIds, usageAnswer } from './usage-answer.ts';

/** So many calls are held in memory at once. */
export const usageCallsMax = 100_000;

export function showTraceUsage(context: Context): Handler<typeof traceUsage> {
  return async ({ body, caller }) => {
    const { limit, include_costs: hasCosts } = body;
    if (limit < 0) throw badRequest(`limit must not be negative, found ${limit}`);
    const projectId = await context.identity.projectForRead(caller, body.project_id);
    const selection = await throughQueues(context, selectionOf(projectId, body));
    const calls = await readUsage(context.clickhouse, selection, Math.min(limit, usageCallsMax + 1));
    if (calls.length > usageCallsMax) {
      throw tooLarge(`More than ${usageCallsMax} calls match. Ask for fewer, by a filter or by limit.`);
    }
    const book = hasCosts ? await projectPrices(context, projectId) : null;
    return usageAnswer(rollUp(calls, book), unfinishedIds(calls), { hasCosts });
  };
}
