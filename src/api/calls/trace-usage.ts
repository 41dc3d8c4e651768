import type { Context } from '../../context.ts';
import type * as contract from '../../contract/calls/trace-usage.ts';
import type { Handler } from '../../http/bind.ts';
import { projectForRead } from '../project.ts';
import { soughtOf } from './sought.ts';
import { usageAnswer } from './usage-answer.ts';

export function traceUsage(context: Context): Handler<typeof contract.traceUsage> {
  return async ({ body, caller }) => {
    const { limit, include_costs: includeCosts } = body;
    const project = await projectForRead(context, caller, body.project_id);
    const use = await context.services.calls.useOfSought({ ...soughtOf(project, body), limit, includeCosts });
    return usageAnswer(use, { includeCosts });
  };
}
