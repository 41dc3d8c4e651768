import type { Context } from '../../context.ts';
import type { suiteRead as endpoint } from '../../contract/suites/read.ts';
import type { Handler } from '../../http/bind.ts';
import { ownerForRead } from '../project.ts';
import { suiteAnswer } from './suite-answer.ts';

export function suiteRead(context: Pick<Context, 'identity' | 'services'>): Handler<typeof endpoint> {
  return async (input) =>
    suiteAnswer(await context.services.suites.read(input.params.suite, await ownerForRead(context, input)));
}
