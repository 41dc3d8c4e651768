import type { Context } from '../../context.ts';
import { ApiError } from '../../contract/errors.ts';
import type * as contract from '../../contract/service/health.ts';
import type { Handler } from '../../http/bind.ts';

/** Longest time that a readiness answer waits for the stores. */
const readyTimeoutMs = 2000;

export function health({ health }: Pick<Context, 'health'>): Handler<typeof contract.health> {
  return async ({ query }) => {
    const problems = query.ready === undefined ? health.problems() : await health.ask(readyTimeoutMs);
    if (problems.length > 0) throw new ApiError(503, problems.join('; '), { status: 'failing' });
    return { status: 'ok' };
  };
}
