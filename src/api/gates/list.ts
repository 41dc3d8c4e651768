import type { Context } from '../../context.ts';
import type { gateList as endpoint } from '../../contract/gates/list.ts';
import { checkPage } from '../../domain/query/page.ts';
import type { Handler } from '../../http/bind.ts';
import { ownerForRead } from '../project.ts';
import { gateAnswer } from './gate-answer.ts';

const limitDefault = 100;

export function gateList(context: Pick<Context, 'identity' | 'services'>): Handler<typeof endpoint> {
  return async (input) => {
    const owner = await ownerForRead(context, input);
    const { suite, limit, offset } = input.query;
    const page = { limit: limit ?? limitDefault, offset: offset ?? 0 };
    checkPage(page);
    const gates = await context.services.gates.list({ suite, ...page }, owner);
    const threads = await context.services.gates.threadCounts(gates.map(({ id }) => id));
    return { gates: gates.map((gate) => ({ ...gateAnswer(gate), threads: threads.get(gate.id) ?? 0 })) };
  };
}
