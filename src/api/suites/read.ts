import type { Context } from '../../context.ts';
import type { suiteRead as endpoint } from '../../contract/suites/read.ts';
import type { Handler } from '../../http/bind.ts';
import { ownerForRead } from '../project.ts';
import { matchAnswer, suiteAnswer } from './suite-answer.ts';

const overlapsShown = 100;

export function suiteRead(context: Pick<Context, 'identity' | 'services'>): Handler<typeof endpoint> {
  return async (input) => {
    const { suites } = context.services;
    const suite = await suites.read(input.params.suite, await ownerForRead(context, input));
    const { rows, overlaps } = await suites.ofSuite(suite.id, overlapsShown);
    return {
      ...suiteAnswer(suite),
      rows_trained_on: rows,
      overlaps: overlaps.map(({ jobId: job_id, model, ...match }) => ({ job_id, model, ...matchAnswer(match) })),
    };
  };
}
