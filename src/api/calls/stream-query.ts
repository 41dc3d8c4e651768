import type { Context } from '../../context.ts';
import type * as contract from '../../contract/calls/stream-query.ts';
import { callJson } from '../../domain/calls/call-json.ts';
import { selectColumns } from '../../domain/calls/columns.ts';
import type { Handler } from '../../http/bind.ts';
import { projectForRead } from '../project.ts';
import { soughtOf } from './sought.ts';

export function callsStreamQuery(context: Context): Handler<typeof contract.callsStreamQuery> {
  return async ({ body, caller }) => {
    const project = await projectForRead(context, caller, body.project_id);
    const columns = selectColumns(body.columns, body.include_costs ?? false);
    const returnsValues = body.return_expanded_column_values ?? true;
    const pages = await context.services.calls.query({
      ...soughtOf(project, body),
      sortBy: body.sort_by,
      limit: body.limit,
      offset: body.offset,
      columns: body.include_previews && columns ? new Set([...columns, 'inputs', 'output'] as const) : columns,
      includeStorageSize: body.include_storage_size,
      includeTotalStorageSize: body.include_total_storage_size,
      includeCosts: body.include_costs,
      includeFeedback: body.include_feedback,
      includeUsernames: body.include_usernames,
      expansion: { caller, paths: body.expand_columns, returnsValues },
    });
    return (async function* lines() {
      for await (const calls of pages) {
        const previews = body.include_previews
          ? await context.services.calls.previews(calls.map(({ call }) => call))
          : [];
        let text = '';
        for (const [index, { call, username, extras }] of calls.entries()) {
          text += `${callJson(call, project.name, columns, username, extras, previews[index])}\n`;
        }
        yield text;
      }
    })();
  };
}
