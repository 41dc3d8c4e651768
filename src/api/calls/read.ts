import type { Context } from '../../context.ts';
import type { callRead } from '../../contract/calls/read.ts';
import { callJson } from '../../domain/calls/call-json.ts';
import type { Handler } from '../../http/bind.ts';
import { readCall } from '../../store/clickhouse/calls/read-call.ts';
import { JsonText } from '../../util/json/json-text.ts';
import { openCosts } from '../costs/call-costs.ts';

export function showCall(context: Context): Handler<typeof callRead> {
  return async ({ body, caller }) => {
    const projectId = await context.identity.projectForRead(caller, body.project_id);
    const call = await readCall(context.clickhouse, {
      projectId,
      id: body.id,
      includeStorageSize: body.include_storage_size ?? false,
      includeTotalStorageSize: body.include_total_storage_size ?? false,
      includeUsage: body.include_costs ?? false,
    });
    if (!call) return { call: null };
    const costs = await openCosts(context, projectId, body);
    return { call: new JsonText(callJson(call, body.project_id, null, undefined, costs(call))) };
  };
}
