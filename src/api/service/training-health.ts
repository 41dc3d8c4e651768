import type { Context } from '../../context.ts';
import { ApiError } from '../../contract/errors.ts';
import type * as contract from '../../contract/service/training-health.ts';
import type { Handler } from '../../http/bind.ts';
import { shownProblems } from './shown-stores.ts';

export function trainingHealth({ health }: Pick<Context, 'health'>): Handler<typeof contract.trainingHealth> {
  return async () => {
    const problems = health.problems();
    if (problems.length > 0) throw new ApiError(503, shownProblems(problems, null));
    return { status: 'ok' };
  };
}
