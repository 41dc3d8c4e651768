import { z } from 'zod';
import type { SuiteScanner, Suites } from '../../services/suites/suites.ts';
import { Failure } from '../../util/failures.ts';
import type { JobHandler, JobKind } from '../job-kind.ts';
import type { Jobs } from '../jobs.ts';

type Input = { suiteId: string };

/** Compares a suite that was frozen with what was trained before. The id of the job is that of the suite. */
export const scanSuiteKind: JobKind<Input> = {
  name: 'scan-suite',
  input: z.object({ suiteId: z.string() }),
  hasKeys: false,
  runningMax: 1,
  runningPerProjectMax: 1,
  attemptsMax: 5,
  retryDelaySeconds: 5,
  retryDelayMaxSeconds: 300,
};

export function scanSuiteHandler(suites: Pick<Suites, 'scan' | 'failScan'>): JobHandler<Input> {
  return {
    run: ({ suiteId }, job) => suites.scan(suiteId, job),
    failed: ({ suiteId }, error, { assertHeld }) =>
      suites.failScan(suiteId, error instanceof Failure ? error.message : 'The scan failed.', assertHeld),
    canceled: ({ suiteId }, { assertHeld }) => suites.failScan(suiteId, 'The scan was canceled.', assertHeld),
  };
}

/** How services queue scans. */
export function scanQueue(jobs: Jobs): SuiteScanner {
  return {
    async enqueue({ id, projectId }, transaction) {
      await jobs.add(scanSuiteKind, { id, project: projectId, input: { suiteId: id }, transaction });
    },
  };
}
