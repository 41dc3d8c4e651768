import { z } from 'zod';
import type { Finetuning } from '../../finetuning/finetuning.ts';
import type { JobRunner } from '../../services/training/jobs.ts';
import { conflict } from '../../util/failures.ts';
import { type JobKind, type Task, task } from '../job-kind.ts';
import type { Jobs } from '../jobs.ts';

type TrainInput = { jobId: string };

/** Trains a model. Jobs of one model run one after another, since each continues from the checkpoint of the one before. */
const trainKind: Omit<JobKind<TrainInput>, keyof TrainingLimits> = {
  name: 'train',
  input: z.object({ jobId: z.string() }),
  hasKeys: true,
  attemptsMax: 1,
  retryDelaySeconds: 0,
  retryDelayMaxSeconds: 0,
};

/** How many jobs train at once. */
export type TrainingLimits = Pick<JobKind<unknown>, 'runningMax' | 'runningPerProjectMax'>;

/** On this machine, a second job would only share the cores and double the memory. */
export const oneAtATime: TrainingLimits = { runningMax: 1, runningPerProjectMax: 1 };

export function trainTask(finetuning: Finetuning, limits = oneAtATime): Task {
  const kind: JobKind<TrainInput> = { ...trainKind, ...limits };
  return task(kind, {
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
  const kind: JobKind<TrainInput> = { ...trainKind, ...oneAtATime }; // its limits are those of `trainTask`
  const anyKind = kind as JobKind<unknown>;
  return {
    async enqueue({ id, jobId = id, modelId, projectId }, transaction) {
      await jobs.add(kind, { id, project: projectId, key: modelId, input: { jobId }, transaction });
    },
    async cancel(id) {
      await jobs.cancel(anyKind, id);
    },
    askToCancel: (id, transaction) => jobs.askToCancel(anyKind, id, transaction),
    async check() {
      await jobs.find(anyKind, '00000000-0000-7000-8000-000000000000');
    },
  };
}
