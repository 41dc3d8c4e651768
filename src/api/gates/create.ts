import type { Context } from '../../context.ts';
import type { gateCreate as endpoint } from '../../contract/gates/create.ts';
import type { Handler } from '../../http/bind.ts';
import { startGate } from '../../jobs/tasks/run-gate.ts';
import { ownerForWrite } from '../project.ts';
import { gateAnswer } from './gate-answer.ts';

export function gateCreate(
  context: Pick<Context, 'identity' | 'services' | 'jobs' | 'rules' | 'graders'>,
): Handler<typeof endpoint> {
  return async (input) => gateAnswer(await startGate(context, input.body, await ownerForWrite(context, input)));
}
