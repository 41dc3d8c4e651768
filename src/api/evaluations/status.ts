import type { Context } from '../../context.ts';
import type { evaluationStatus as endpoint } from '../../contract/evaluations/status.ts';
import type { Handler } from '../../http/bind.ts';
import type { EvaluationStatus } from '../../services/evaluations/status.ts';
import { projectForRead } from '../project.ts';

export function evaluationStatus(context: Pick<Context, 'identity' | 'services'>): Handler<typeof endpoint> {
  return async ({ body, caller }) => {
    const project = await projectForRead(context, caller, body.project_id);
    return { status: toWire(await context.services.evaluations.status(body.call_id, { project, caller })) };
  };
}

function toWire(status: EvaluationStatus) {
  if (status.code !== 'running') return status;
  return { code: status.code, completed_rows: status.completedRows, total_rows: status.totalRows };
}
