import type { Context } from '../../context.ts';
import type { callsStreamQuery } from '../../contract/calls/stream-query.ts';
import { callJson } from '../../domain/calls/call-json.ts';
import { selectColumns } from '../../domain/calls/columns.ts';
import type { Handler } from '../../http/bind.ts';
import { readCalls } from '../../store/clickhouse/calls/read-calls.ts';
import { openCosts } from '../costs/call-costs.ts';
import { openFeedback } from './feedback.ts';
import { expansionOf, selectionOf } from './selection.ts';
import { throughQueues } from '../../services/calls/through-queues.ts';
import { openUsernames } from './usernames.ts';

export function streamCalls(context: Context): Handler<typeof callsStreamQuery> {
  return async ({ body, caller }) => {
    const projectId = await context.identity.projectForRead(caller, body.project_id);
    const columns = selectColumns(body.columns, body.include_costs ?? false);
    const pages = await readCalls(context.clickhouse, {
      ...(await throughQueues(context, selectionOf(projectId, body))),
      sortBy: body.sort_by,
      limit: body.limit,
      offset: body.offset,
      columns,
      includeStorageSize: body.include_storage_size ?? false,
      includeTotalStorageSize: body.include_total_storage_size ?? false,
      includeUsage: body.include_costs ?? false,
      expansion: expansionOf(context, caller, body.expand_columns, body.return_expanded_column_values ?? true),
    });
    const usernames = openUsernames(context, body.include_usernames ?? false);
    const costs = await openCosts(context, projectId, body);
    const feedback = openFeedback(context, projectId, body);
    return (async function* lines() {
      for await (const calls of pages) {
        const names = await usernames(calls.map((call) => call.wbUserId));
        const feedbackOf = await feedback(calls);
        let text = '';
        for (const call of calls) {
          const extras = { ...costs(call), ...feedbackOf(call) };
          text += `${callJson(call, body.project_id, columns, names.get(call.wbUserId), extras)}\n`;
        }
        yield text;
      }
    })();
  };
}
