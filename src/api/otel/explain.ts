import type { Context } from '../../context.ts';
import type * as contract from '../../contract/otel/explain.ts';
import type { Handler } from '../../http/bind.ts';
import { projectForRead } from '../project.ts';

export function spanExplain(context: Context): Handler<typeof contract.spanExplain> {
  return async ({ body, caller }) => {
    const project = await projectForRead(context, caller, body.project_id);
    const { fields, passedOver, unread } = await context.services.spans.explain(project, body.id);
    return { fields, passed_over: passedOver, unread };
  };
}
