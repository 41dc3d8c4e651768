import type { Suites } from '../services/suites/suites.ts';
import { trainingKeys } from '../services/training/training-keys.ts';
import type { Blobs } from '../store/blobs/blobs.ts';
import { notFound } from '../util/failures.ts';
import type { JobRun } from './job-run.ts';

type Deps = { blobs: Blobs; suites: Pick<Suites, 'checkJob' | 'recordNewer'> };

/**
 * Compares the data of a job with the suites of its project, before anything is trained.
 * @returns what does so with suites that were frozen meanwhile; call it before the checkpoint is listed
 * @throws Failure for a job that may not train on what matches
 */
export async function checkSuites({ blobs, suites }: Deps, { job, model, signal, assertHeld }: JobRun) {
  const { projectId } = model;
  const data = {
    async open() {
      const found = await blobs.get(trainingKeys.jobData(projectId, job.id));
      if (!found) throw notFound('The data of the job was deleted.');
      return found.stream;
    },
  };
  const checked = await suites.checkJob(job, data, { projectId, signal, assertHeld });
  return { recordNewer: () => suites.recordNewer(job, data, { projectId, checked, signal, assertHeld }) };
}
