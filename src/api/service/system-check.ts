import type { Context } from '../../context.ts';
import { ApiError } from '../../contract/errors.ts';
import type * as contract from '../../contract/service/system-check.ts';
import type { Handler } from '../../http/bind.ts';
import { Failure } from '../../util/failures.ts';
import { withinMs } from '../../util/within-ms.ts';
import { shownProblems } from './shown-stores.ts';

const timeoutMs = 2000;

/** Training jobs run in this process, so both queues are its job queue. */
export function systemCheck({
  health,
  services,
}: Pick<Context, 'health' | 'services'>): Handler<typeof contract.systemCheck> {
  return async () => {
    const [problems, queue] = await Promise.all([
      health.ask(timeoutMs),
      timed(() => services.training.jobs.checkQueue()),
    ]);
    const checks = { api: true as const, database: problems.length === 0, cpu_queue: queue, gpu_queue: queue };
    if (checks.database && queue.success) return checks;
    throw new ApiError(503, shownProblems(problems, null) || queue.error!, checks);
  };
}

async function timed(check: () => Promise<void>) {
  const startedAt = performance.now();
  const seconds = () => (performance.now() - startedAt) / 1000;
  try {
    const inTime = check().then(() => false);
    const isLate = await withinMs(timeoutMs, inTime, () => true);
    return { success: !isLate, duration: seconds(), error: isLate ? 'The queue does not respond.' : null };
  } catch (error) {
    // Other errors may name hosts, and no key is needed to read this.
    const shown = error instanceof Failure ? error.message : 'The queue does not work.';
    return { success: false, duration: seconds(), error: shown };
  }
}
