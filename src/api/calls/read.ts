import type { Context } from '../../context.ts';
import type { callRead } from '../../contract/calls/read.ts';
import { callJson } from '../../domain/calls/call-json.ts';
import type { Handler } from '../../http/bind.ts';
import { readCall } from '../../store/clickhouse/calls/read-call.ts';
import { JsonText } from '../../util/json/json-text.ts';
import { refuseLaterParts } from './selection.ts';

export function showCall(context: Context): Handler<typeof callRead> {
  return async ({ body, caller }) => {
    refuseLaterParts(body);
    const projectId = await context.identity.projectForRead(caller, body.project_id);
    const call = await readCall(context.clickhouse, {
      projectId,
      id: body.id,
      includeStorageSize: body.include_storage_size ?? false,
      includeTotalStorageSize: body.include_total_storage_size ?? false,
    });
    return { call: call && new JsonText(callJson(call, body.project_id, null)) };
  };
}
