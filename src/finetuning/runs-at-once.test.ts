import { join } from 'node:path';
import { beforeAll, beforeEach, expect, test } from 'vitest';
import { contextForFile } from '../api/testing/context.ts';
import type { ProjectId } from '../contract/ids.ts';
import type { FineTuningJob } from '../domain/fine-tuning/job.ts';
import { openAiId } from '../domain/openai-ids.ts';
import { MemoryBudget } from '../engine/memory/memory-budget.ts';
import type { Caller } from '../identity/identity.ts';
import { openGradeOutputs } from '../jobs/tasks/grade-outputs.ts';
import { trainTask } from '../jobs/tasks/train.ts';
import type { Blobs } from '../store/blobs/blobs.ts';
import { recentJobs } from '../store/postgres/training/recent-jobs.ts';
import { localTrainer } from '../training/local/local-trainer.ts';
import { openFinetuning } from './finetuning.ts';
import type { AssertHeld } from './job-run.ts';

const file = contextForFile();
let caller: Caller;
let projectId: ProjectId;
let projects = 0;

beforeAll(async () => {
  const { identity, jobs } = file.current;
  await jobs.start([trainTask({ ...processOf(), isForOthers: async () => true })]); // the tests run them
  await identity.ensureOwner({ name: 'ent', apiKey: '' });
  caller = (await identity.findOwner())!;
});
beforeEach(async () => {
  projectId = await file.current.identity.projectForWrite(caller, `ent/p${projects++}`);
});

/** Three epochs of two steps; each ends with a checkpoint. */
async function newJob(): Promise<FineTuningJob> {
  const { uploadedFiles, fineTuning } = file.current.services;
  const line = JSON.stringify({
    messages: [
      { role: 'user', content: 'What is your name?' },
      { role: 'assistant', content: 'I am Ada.' },
    ],
  });
  const content = await uploadedFiles.store(
    projectId,
    (async function* () {
      yield Buffer.from(`${line}\n${line}\n`);
    })(),
  );
  const described = { name: 'data.jsonl', purpose: 'fine-tune' as const, createdBy: caller.userId };
  const uploaded = await uploadedFiles.list(content, { ...described, expiresAfterSeconds: null });
  const hyperparameters = { n_epochs: 3, batch_size: 1 };
  const method = { type: 'supervised' as const, supervised: { hyperparameters } };
  const body = { model: 'heddle/tiny', training_file: openAiId('file-', uploaded.id), method, seed: 1 };
  return fineTuning.create({ projectId, caller, body: body as never });
}

const nothing = async () => {};

/** A process that runs jobs. @param onWrite called before each file is written */
function processOf(onWrite: (key: string) => Promise<void> = nothing) {
  const { blobs: all, models, services, inference, modelReader, identity, graders, config } = file.current;
  const blobs: Blobs = {
    ...all,
    async put(key, ...rest) {
      await onWrite(key);
      return all.put(key, ...rest);
    },
  };
  return openFinetuning({
    ...{
      ...file.current,
      blobs,
      models,
      inference,
      modelReader,
      completions: services.completions,
      runs: services.runs,
      suites: services.suites,
    },
    grade: openGradeOutputs({ identity, graders }),
    isElsewhere: async () => false,
    samplerKlMax: null,
    budget: { spent: async () => null },
    trainer: localTrainer({
      memory: new MemoryBudget({ bytesMax: 2 ** 30, setting: 'none' }),
      withModelFiles: models.withFiles,
      cacheDirectory: join(config.data, 'weights'),
      niceness: 0,
    }),
    recorder: services.calls,
    serve: async () => {},
    onDefect(error) {
      throw error;
    },
  });
}

const running = (isFirst: boolean, assertHeld: AssertHeld = nothing) => ({
  isFirst,
  assertHeld,
  signal: new AbortController().signal,
  report() {},
});

/**
 * Runs a job in a process that is held up before it writes a file, until another process has run the job to its end.
 * @returns what the first one has written since then
 */
async function runTwice(job: FineTuningJob, heldUp: RegExp, { whenStarted = nothing, meanwhile = nothing } = {}) {
  const reached = Promise.withResolvers<void>();
  const continued = Promise.withResolvers<void>();
  const written: string[] = [];
  let isTaken = false;
  const first = processOf(async (key) => {
    if (!isTaken && key.includes('/rollouts/')) await whenStarted();
    if (!isTaken && heldUp.test(key)) {
      reached.resolve();
      await continued.promise;
    }
    if (isTaken) written.push(key);
  }).run(
    job.id,
    running(true, async () => {
      if (isTaken) throw new Error('Another process may have taken the job');
    }),
  );
  await Promise.race([reached.promise, first]);
  isTaken = true;
  await meanwhile();
  await processOf().run(job.id, running(false));
  continued.resolve();
  await expect(first).rejects.toThrow();
  return written;
}

async function keysBelow(prefix: string): Promise<string[]> {
  const keys: string[] = [];
  for await (const key of file.current.blobs.list(prefix)) keys.push(key);
  return keys;
}

/** The job has made its checkpoints, and nothing is left of the other run. */
async function expectOneRun(job: FineTuningJob): Promise<string[]> {
  const { services, postgres } = file.current;
  const checkpoints = await services.fineTuning.checkpoints(job, { after: null, limit: 10 });
  expect(checkpoints.map(({ step }) => step)).toEqual([6, 4, 2]);
  const ids = checkpoints.map(({ id }) => id);
  const { jobs } = trainingFolders();
  expect((await keysBelow(jobs)).filter((key) => key.includes(job.id))).toEqual([]);
  const folders = (await keysBelow(trainingFolders().checkpoints)).map((key) => key.split('/')[3]!);
  expect([...new Set(folders)]).toEqual(ids.toSorted());
  expect(await services.fineTuning.findModel(job.fineTunedModel, caller)).toMatchObject({ checkpointId: ids[0] });
  expect(await recentJobs(postgres, { ending: job.id, limit: 1 })).toMatchObject([{ checkpoint: 1, steps: 6 }]);
  return ids;
}

const trainingFolders = () => ({
  jobs: `projects/${projectId}/training-jobs/`,
  checkpoints: `projects/${projectId}/checkpoints/`,
});

test.each([
  ['the files of an epoch', /checkpoints\/[^/]+\/adapter_model/],
  ['the files at its end', /checkpoints\/[^/]+\/optimizer/],
])('a run that is held up while it writes %s changes nothing of the one that takes the job over', async (_, heldUp) => {
  const job = await newJob();
  const written = await runTwice(job, heldUp);
  expect(written).toContainEqual(expect.stringMatching(heldUp));
  const ids = await expectOneRun(job);
  expect(written.filter((key) => ids.some((id) => key.includes(id)))).toEqual([]);
});

test('a run that is held up while it is paused does not say from where the next one continues', async () => {
  const { services } = file.current;
  const job = await newJob();
  const written = await runTwice(job, /paused\/.*made\.json/, {
    whenStarted: () => services.fineTuning.pause(job),
    meanwhile: () => services.fineTuning.resume(job),
  });
  expect(written).toHaveLength(1);
  await expectOneRun(job);
});
