import type { Context } from '../../context.ts';
import type { callsStreamQuery } from '../../contract/calls/stream-query.ts';
import { callJson } from '../../domain/calls/call-json.ts';
import { selectColumns } from '../../domain/calls/columns.ts';
import type { Handler } from '../../http/bind.ts';
import { readCalls } from '../../store/clickhouse/calls/read-calls.ts';
import { expansionOf, refuseLaterParts, selectionOf } from './selection.ts';
import { throughQueues } from './through-queues.ts';
import { openUsernames } from './usernames.ts';

export function streamCalls(context: Context): Handler<typeof callsStreamQuery> {
  return async ({ body, caller }) => {
    refuseLaterParts(body);
    const projectId = await context.identity.projectForRead(caller, body.project_id);
    const columns = selectColumns(body.columns);
    const pages = await readCalls(context.clickhouse, {
      ...(await throughQueues(context, selectionOf(projectId, body))),
      sortBy: body.sort_by,
      limit: body.limit,
      offset: body.offset,
      columns,
      includeStorageSize: body.include_storage_size ?? false,
      includeTotalStorageSize: body.include_total_storage_size ?? false,
      expansion: expansionOf(context, caller, body.expand_columns, body.return_expanded_column_values ?? true),
    });
    const usernames = openUsernames(context, body.include_usernames ?? false);
    return (async function* lines() {
      for await (const calls of pages) {
        const names = await usernames(calls.map((call) => call.wbUserId));
        let text = '';
        for (const call of calls) text += `${callJson(call, body.project_id, columns, names.get(call.wbUserId))}\n`;
        yield text;
      }
    })();
  };
}
