import type { Context } from '../../context.ts';
import type { suiteCreate as endpoint } from '../../contract/suites/create.ts';
import type { Handler } from '../../http/bind.ts';
import { ownerForWrite } from '../project.ts';
import { suiteAnswer } from './suite-answer.ts';

export function suiteCreate(context: Pick<Context, 'identity' | 'services'>): Handler<typeof endpoint> {
  return async (input) => {
    const { thread_column: threadColumn, ...suite } = input.body;
    const owner = await ownerForWrite(context, input);
    return suiteAnswer(await context.services.suites.freeze({ ...suite, threadColumn }, owner));
  };
}
