import type { Context } from '../../context.ts';
import type * as contract from '../../contract/calls/read.ts';
import { callJson } from '../../domain/calls/call-json.ts';
import type { Handler } from '../../http/bind.ts';
import { JsonText } from '../../util/json/json-text.ts';
import { projectForRead } from '../project.ts';

export function callRead(context: Context): Handler<typeof contract.callRead> {
  return async ({ body, caller }) => {
    const project = await projectForRead(context, caller, body.project_id);
    const [found] = await context.services.calls.find([body.id], {
      project,
      includeStorageSize: body.include_storage_size,
      includeTotalStorageSize: body.include_total_storage_size,
      includeCosts: body.include_costs,
    });
    if (!found) return { call: null };
    return { call: new JsonText(callJson(found.call, project.name, null, undefined, found.extras)) };
  };
}
