import type { Context } from '../../context.ts';
import type { gateCancel as endpoint } from '../../contract/gates/cancel.ts';
import type { Handler } from '../../http/bind.ts';
import { runGateKind } from '../../jobs/tasks/run-gate.ts';
import { ownerForRead } from '../project.ts';

export function gateCancel(context: Pick<Context, 'identity' | 'services' | 'jobs'>): Handler<typeof endpoint> {
  return async (input) => {
    const { id } = await context.services.gates.read(input.params.gate_id, await ownerForRead(context, input));
    return { canceled: await context.jobs.cancel(runGateKind, id) };
  };
}
