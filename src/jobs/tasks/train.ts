import { z } from 'zod';
import type { Finetuning } from '../../finetuning/finetuning.ts';
import type { JobRunner } from '../../services/training/jobs.ts';
import { conflict } from '../../util/failures.ts';
import { type JobKind, type Task, task } from '../job-kind.ts';
import type { Jobs } from '../jobs.ts';

type TrainInput = { jobId: string };

/**
 * Trains a model. Jobs of one model run one after another, since each continues from the checkpoint of the one before.
 * One job trains at a time: a second one would only share the cores and double the memory.
 */
const trainKind: JobKind<TrainInput> = {
  name: 'train',
  input: z.object({ jobId: z.string() }),
  hasKeys: true,
  runningMax: 1,
  runningPerProjectMax: 1,
  attemptsMax: 1,
  retryDelaySeconds: 0,
  retryDelayMaxSeconds: 0,
};

export function trainTask(finetuning: Finetuning): Task {
  return task(trainKind, {
    isForOthers: ({ jobId }) => finetuning.isForOthers(jobId),
    async run({ jobId }, { id, isTakenOver, signal, report, assertHeld }) {
      const isFirst = !isTakenOver && id === jobId; // it has another id after a pause
      await finetuning.run(jobId, { isFirst, signal, report, assertHeld });
    },
    failed: ({ jobId }, error, { assertHeld }) => finetuning.fail(jobId, error, assertHeld),
    canceled: ({ jobId }, { assertHeld }) => finetuning.fail(jobId, conflict('The job was canceled.'), assertHeld),
  });
}

/** How services queue and cancel training. */
export function trainingQueue(jobs: Jobs): JobRunner {
  return {
    async enqueue({ id, jobId = id, modelId, projectId }, transaction) {
      await jobs.add(trainKind, { id, project: projectId, key: modelId, input: { jobId }, transaction });
    },
    async cancel(id) {
      await jobs.cancel(trainKind as JobKind<unknown>, id);
    },
    askToCancel: (id, transaction) => jobs.askToCancel(trainKind as JobKind<unknown>, id, transaction),
    async check() {
      await jobs.find(trainKind as JobKind<unknown>, '00000000-0000-7000-8000-000000000000');
    },
  };
}
