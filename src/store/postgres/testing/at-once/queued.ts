import { join } from 'node:path';
import { expect } from 'vitest';
import { newId } from '../../../../contract/ids.ts';
import { filesAt } from '../../../../engine/testing/files-at.ts';
import type { Caller } from '../../../../identity/identity.ts';
import { openOwnModelReader } from '../../../../inference/own/own-model-reader.ts';
import { task } from '../../../../jobs/job-kind.ts';
import { openJobs } from '../../../../jobs/jobs.ts';
import { recordPass } from '../../../../jobs/scoring-pass.ts';
import { evalQueue, runEvalKind } from '../../../../jobs/tasks/run-openai-eval.ts';
import { scoreCalls } from '../../../../jobs/tasks/score-calls.ts';
import { trainingQueue, trainTask } from '../../../../jobs/tasks/train.ts';
import type { Deps } from '../../../../services/deps.ts';
import { openOpenAIEvalRuns } from '../../../../services/evaluations/openai-evals/runs.ts';
import { createFineTuning } from '../../../../services/fine-tuning/create-job.ts';
import { openFineTuning } from '../../../../services/fine-tuning/fine-tuning.ts';
import { openTrainingJobs } from '../../../../services/training/jobs.ts';
import { openUploadedFiles } from '../../../../services/uploaded-files.ts';
import { openBlobDirectory } from '../../../blobs/directory/blob-directory.ts';
import { openAlone } from '../../../peers/alone.ts';
import { addFineTuning } from '../../fine-tuning/jobs.ts';
import { forgetJob } from '../../job-attempts/attempts.ts';
import { jobsToCancel } from '../../job-attempts/look.ts';
import { readCounts } from '../../monitors/watched.ts';
import { createEval, findEval } from '../../openai-evals/evals.ts';
import { findRunOfCall } from '../../openai-evals/runs.ts';
import { findJob } from '../../training/jobs.ts';
import { deleteModel } from '../../training/models.ts';
import { storePausedState } from '../../training/pauses.ts';
import { type Cases, each, eachOrRefused, type Start, writers } from './case.ts';
import { temporaryFolder } from './temporary-folder.ts';
import { newJob, newModel } from './training.ts';

/** Transactions that add jobs to the queue, which does not run them here. */
export const queuedCases: Cases = {
  /** Jobs of a model that is deleted meanwhile are refused, and leave no data. */
  async 'services/training/jobs.ts create'(start) {
    await withQueue(start, async ({ jobs, waiting }) => {
      const { postgres, projectId } = start;
      const blobs = openBlobDirectory(temporaryFolder());
      const training = openTrainingJobs({ postgres, blobs }, trainingQueue(jobs), []);
      const model = await newModel(start);
      const create = () => training.createRl({ model, config: {}, createdBy: 'u', groups: [], callIds: ['c'] });
      await each(create);
      expect(await waiting()).toBe(writers.length);
      const [{ refusals }] = await Promise.all([eachOrRefused(create), deleteModel(postgres, model.id)]);
      expect(refusals.every((kind) => kind === 'notFound')).toBe(true);
      const { values, refusals: afterwards } = await eachOrRefused(create);
      expect([values.length, new Set(afterwards)]).toEqual([0, new Set(['notFound'])]);
      const kept = await Array.fromAsync(blobs.list(`projects/${projectId}/`));
      expect(kept).toHaveLength(2 * writers.length - refusals.length);
    });
  },

  async 'services/fine-tuning/create-job.ts queueJob'(start) {
    await withQueue(start, async ({ jobs, waiting }) => {
      const deps = fineTuningDeps(start, trainingQueue(jobs));
      const file = await deps.files.store(start.projectId, lines());
      await deps.files.list(file, { name: 'f', purpose: 'fine-tune', createdBy: 'u', expiresAfterSeconds: null });
      const body = { model: 'tiny', training_file: `file-${file.id.replaceAll('-', '')}` };
      const made = await each(() =>
        createFineTuning(deps, { projectId: start.projectId, caller, body: body as never }),
      );
      expect(new Set(made.map(({ id }) => id)).size).toBe(writers.length);
      expect(await waiting()).toBe(writers.length);
    });
  },

  async 'store/postgres/training/pauses.ts storePausedState'(start) {
    const { job } = await newFineTuning(start);
    const { id } = await job();
    const fence = async () => {};
    const pause = (index: number) => ({ folder: `folder ${index}`, because: null });
    await each((index) => storePausedState(start.postgres, id, pause(index), fence));
    expect(writers.map((index) => `folder ${index}`)).toContain((await findJob(start.postgres, id))!.pausedState);
  },

  async 'services/fine-tuning/fine-tuning.ts pause'(start) {
    const { fineTuning, job } = await newFineTuning(start);
    const { values, refusals } = await eachOrRefused(async () => fineTuning.pause(await job()));
    expect([values.length, new Set(refusals)]).toEqual([1, new Set(['invalidInput'])]);
    expect((await job()).pausedAt).not.toBeNull();
    expect(await fineTuning.events(await job(), { after: null, limit: 100 })).toHaveLength(1);
  },

  async 'services/training/jobs.ts resume'(start) {
    await withQueue(start, async ({ jobs, waiting }) => {
      const { fineTuning, job } = await newFineTuning(start, trainingQueue(jobs));
      await fineTuning.pause(await job());
      const paused = await job();
      const { values, refusals } = await eachOrRefused(() => fineTuning.resume(paused));
      expect([values.length, new Set(refusals)]).toEqual([1, new Set(['invalidInput'])]);
      expect(await waiting()).toBe(1);
    });
  },

  async 'services/evaluations/openai-evals/runs.ts create'(start) {
    await withQueue(start, async ({ jobs, waiting }) => {
      const { create } = await newEval(start, evalQueue(jobs));
      const made = await each(create);
      expect(new Set(made.map(({ id }) => id)).size).toBe(writers.length);
      expect(await waiting()).toBe(writers.length);
    });
  },

  /** One of several cancellations changes the run, and the job is not run again even if its process ends then. */
  async 'services/evaluations/openai-evals/runs.ts cancel'(start) {
    await withQueue(start, async ({ jobs }) => {
      const { postgres, projectId } = start;
      let canceled = 0;
      const runner = { ...evalQueue(jobs), cancel: async () => void canceled++ };
      const { runs, create } = await newEval(start, runner);
      const run = await create();
      await each(() => runs.cancel(run));
      expect(canceled).toBe(1);
      expect((await findRunOfCall(postgres, run.callId))?.status).toBe('canceled');
      expect(await jobsToCancel(postgres.db, runEvalKind.name)).toEqual([run.callId]);
      await forgetJob(postgres.db, { kind: runEvalKind.name, job: run.callId });
      const refusing = { ...runner, askToCancel: () => Promise.reject(new Error('no')) };
      const other = await newEval({ postgres, projectId }, refusing, 'other');
      const goesOn = await other.create();
      await expect(other.runs.cancel(goesOn)).rejects.toThrow('no');
      expect((await findRunOfCall(postgres, goesOn.callId))?.status).toBe('queued');
    });
  },

  /** Calls that two processes have read are scored once. */
  async 'jobs/scoring-pass.ts recordPass'(start) {
    await withQueue(start, async ({ jobs, waiting }) => {
      const { postgres, projectId } = start;
      const hour = new Date(0);
      const monitor = { objectId: 'o', userId: 'u', scorers: [], ref: 'r', isTraced: true } as never;
      const counts = { scored: 1, notSampled: 0, overLimit: 0 };
      let before: { version: number; callId: string } | null = null;
      for (const version of [1, 2]) {
        const from: typeof before = before;
        const last = { version, callId: 'c' };
        const passes = [{ monitor, callIds: ['c'], counts }];
        const project = { id: projectId, name: 'e/p' as never };
        const recorded = await each(() =>
          recordPass({ postgres, jobs }, project, { before: from, last, hour, passes }),
        );
        expect(recorded.filter(Boolean)).toHaveLength(1);
        before = last;
      }
      expect((await readCounts(postgres.db, projectId, hour)).get('o')).toMatchObject({ scored: 2 });
      expect(await waiting()).toBe(2);
    });
  },
};

const caller: Caller = { userId: 'u', username: 'u', isOwner: true, defaultEntity: 'e' } as Caller;

type Queue = { jobs: Awaited<ReturnType<typeof openJobs>>; waiting(): Promise<number> };

/** A queue whose jobs wait. */
async function withQueue({ postgres, projectId }: Start, work: (queue: Queue) => Promise<void>): Promise<void> {
  const jobs = await openJobs(postgres, openAlone(), {
    mayStart: () => false,
    onError: (error) => expect.fail(String(error)),
  });
  const never = { run: unexpected, failed: unexpected, canceled: unexpected };
  await jobs.start([trainTask({} as never), task(runEvalKind, never), task(scoreCalls, never)]);
  async function waiting(): Promise<number> {
    const sql = `SELECT count(*) FROM ${postgres.jobs.schema}.job WHERE group_id = $1`;
    const { rows } = await postgres.executeSql(sql, [projectId]);
    return Number((rows[0] as { count: number }).count);
  }
  try {
    await work({ jobs, waiting });
  } finally {
    await jobs.close();
  }
}

async function unexpected(): Promise<never> {
  throw new Error('unexpected call of a handler');
}

async function* lines() {
  yield Buffer.from('{"messages":[{"role":"user","content":"a"},{"role":"assistant","content":"b"}]}\n');
}

function fineTuningDeps({ postgres }: Start, runner: ReturnType<typeof trainingQueue>) {
  const blobs = openBlobDirectory(temporaryFolder());
  const base = { id: 'tiny', name: 'tiny', adapter: null };
  return {
    ...{ postgres, blobs, runner, files: openUploadedFiles({ postgres, blobs }) },
    models: { find: async () => base } as unknown as Deps['models'],
    modelReader: openOwnModelReader(filesAt(join(import.meta.dirname, '../../../../../assets/tiny-model'))),
    identity: { projectName: async () => 'e/p' } as unknown as Deps['identity'],
  };
}

async function newFineTuning(start: Start, runner = {} as ReturnType<typeof trainingQueue>) {
  const { postgres, projectId } = start;
  const { id } = await newJob(start, (await newModel(start)).id);
  await addFineTuning(postgres, {
    ...{ id, projectId, model: 'b', fineTunedModel: id, startProjectId: null, startCheckpointId: null },
    ...{ trainingFileId: newId(), validationFileId: null, seed: 1, metadata: null },
    method: {} as never,
  });
  const deps = fineTuningDeps(start, runner);
  const training = { jobs: openTrainingJobs({ postgres, blobs: deps.blobs }, runner, []) };
  const fineTuning = openFineTuning({ ...deps, training: training as never });
  return { fineTuning, job: () => fineTuning.find(projectId, id) };
}

async function newEval({ postgres, projectId }: Start, runner: ReturnType<typeof evalQueue>, id = 'eval') {
  const blobs = openBlobDirectory(temporaryFolder());
  const runs = openOpenAIEvalRuns({ postgres, blobs }, {} as never, runner);
  const config = { type: 'custom', schema: {} };
  await createEval(postgres, projectId, {
    ...{ id, name: 'e', criteria: [], metadata: {} },
    dataSourceConfig: config as never,
  });
  const of = (await findEval(postgres, { projectId, id }))!;
  const dataSource = { type: 'jsonl', source: { type: 'file_content', content: [] } };
  const owner = { project: { id: projectId, name: 'e/p' as never }, caller };
  const create = () => runs.create(of, { name: null, dataSource: dataSource as never, metadata: {} }, owner);
  return { runs, create };
}
