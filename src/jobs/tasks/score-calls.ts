import { z } from 'zod';
import { scoreCalls as score } from '../../evaluation/score-calls.ts';
import type { EvaluationDeps } from '../../evaluation/setup.ts';
import type { JobHandler, JobKind } from '../job-kind.ts';
import { finalOf, jobOwnerOf } from './job-owner.ts';

const input = z.object({
  project: z.string(),
  userId: z.string(),
  callIds: z.array(z.string()),
  scorers: z.array(z.string()),
  /** What led to the scores, such as the ref of a monitor. */
  trigger: z.string().nullable(),
  /** Whether scores are recorded as calls too, and not as feedback alone. */
  isTraced: z.boolean(),
});
type Input = z.output<typeof input>;

/** Scorers that are applied to calls. */
export const scoreCalls: JobKind<Input> = {
  name: 'score-calls',
  input,
  hasKeys: false,
  runningMax: 4,
  runningPerProjectMax: 2,
  attemptsMax: 6,
  retryDelaySeconds: 2,
  retryDelayMaxSeconds: 300,
};

/** Calls of one job: a longer list becomes several jobs. */
export const callsPerJob = 100;

export function scoreCallsHandler(
  deps: EvaluationDeps,
  onSkipped: (message: string, error?: unknown) => void,
): JobHandler<Input> {
  return {
    run: async ({ callIds, scorers, trigger, isTraced, ...given }, { id, attempt, attemptsMax, signal, assertHeld }) =>
      finalOf(async () => {
        const request = { jobId: id, owner: await jobOwnerOf(deps, given), callIds, scorers, trigger, isTraced };
        const missing = await score(deps, request, { signal, assertHeld });
        if (missing.length > 0 && attempt < attemptsMax) throw new CallsMissing(missing.length);
        if (missing.length > 0)
          onSkipped(`${missing.length} calls were not scored: they do not exist or have not ended`);
      }),
    // The endpoint does not guarantee scores; failures are logged.
    failed: async (_, error) => onSkipped('calls were not scored', error),
    canceled: async () => {},
  };
}

/** Clients send calls in the background, so some may arrive later. */
class CallsMissing extends Error {
  constructor(count: number) {
    super(`${count} calls do not exist yet or have not ended`);
  }
}
