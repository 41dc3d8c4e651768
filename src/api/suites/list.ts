import type { Context } from '../../context.ts';
import type { suiteList as endpoint } from '../../contract/suites/list.ts';
import type { Handler } from '../../http/bind.ts';
import { ownerForRead } from '../project.ts';
import { suiteAnswer } from './suite-answer.ts';

export function suiteList(context: Pick<Context, 'identity' | 'services'>): Handler<typeof endpoint> {
  return async (input) => {
    const suites = await context.services.suites.list(await ownerForRead(context, input));
    return { suites: suites.map(suiteAnswer) };
  };
}
