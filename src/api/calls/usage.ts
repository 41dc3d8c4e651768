import type { Context } from '../../context.ts';
import type * as contract from '../../contract/calls/usage.ts';
import type { Handler } from '../../http/bind.ts';
import { projectForRead } from '../project.ts';
import { usageAnswer } from './usage-answer.ts';

export function callsUsage(context: Context): Handler<typeof contract.callsUsage> {
  return async ({ body, caller }) => {
    const { call_ids: ids, limit, include_costs: includeCosts } = body;
    const project = await projectForRead(context, caller, body.project_id);
    const use = await context.services.calls.useOfIds(ids, { project, limit, includeCosts });
    return usageAnswer(use, { includeCosts });
  };
}
