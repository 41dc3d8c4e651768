import type { Context } from '../../context.ts';
import { ApiError } from '../../contract/errors.ts';
import type * as contract from '../../contract/service/readiness.ts';
import type { Handler } from '../../http/bind.ts';
import { callerIfKnown, shownProblems, shownStores } from './shown-stores.ts';

/** Reports the last check of the stores, however many balancers ask. */
export function readiness(
  context: Pick<Context, 'draining' | 'health' | 'identity' | 'peers' | 'storeStates'>,
): Handler<typeof contract.readiness> {
  const { draining, health, peers } = context;
  return async ({ raw }) => {
    const caller = await callerIfKnown(raw, context);
    const problems = health.problems();
    const stores = shownStores(context, problems, caller);
    if (draining.aborted) throw new ApiError(503, 'The server is stopping.', { status: 'draining', stores });
    if (problems.length > 0) throw new ApiError(503, shownProblems(problems, caller), { status: 'failing', stores });
    // It works, but others do not count on it: they do not wait for it, and show what it does in the background as failed.
    if (!peers.isUpToDate())
      throw new ApiError(503, 'The lease of this process has ended.', { status: 'failing', stores });
    return { status: 'ready', stores };
  };
}
