import type { Context } from '../../context.ts';
import { ApiError } from '../../contract/errors.ts';
import type * as contract from '../../contract/service/health.ts';
import type { Handler } from '../../http/bind.ts';
import { callerIfKnown, shownProblems, shownStores } from './shown-stores.ts';

/** Longest time that a readiness answer waits for the stores. */
const readyTimeoutMs = 2000;

export function health(context: Pick<Context, 'health' | 'identity' | 'storeStates'>): Handler<typeof contract.health> {
  const { health } = context;
  return async ({ query, raw }) => {
    const [caller, problems] = await Promise.all([
      callerIfKnown(raw, context),
      query.ready === undefined ? health.problems() : health.ask(readyTimeoutMs),
    ]);
    const stores = shownStores(context, problems, caller);
    if (problems.length === 0) return { status: 'ok', stores };
    throw new ApiError(503, shownProblems(problems, caller), { status: 'failing', stores });
  };
}
