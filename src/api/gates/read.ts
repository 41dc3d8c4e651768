import type { Context } from '../../context.ts';
import type { gateRead as endpoint } from '../../contract/gates/read.ts';
import type { Handler } from '../../http/bind.ts';
import { ownerForRead } from '../project.ts';
import { gateWithProgressAnswer } from './gate-answer.ts';

/** Of the picture. */
const pointsMax = 200;

export function gateRead(context: Pick<Context, 'identity' | 'services'>): Handler<typeof endpoint> {
  const { gates, suites } = context.services;
  return async (input) => {
    const owner = await ownerForRead(context, input);
    const gate = await gates.read(input.params.gate_id, owner);
    const suite = await suites.read(gate.suiteName, owner);
    const progress = await gates.progress(gate, pointsMax);
    const use = await gates.use(suite, { plan: gate.plan, meanSquare: progress.meanSquare });
    return gateWithProgressAnswer(gate, progress, { alpha: suite.alpha, use });
  };
}
