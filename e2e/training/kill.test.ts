import { rmSync } from 'node:fs';
import { setTimeout } from 'node:timers/promises';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type Heddle, startHeddle } from '../harness/heddle.ts';
import { testDataDirectory } from '../harness/heddle-for-file.ts';
import { keysOfFiles } from '../harness/stored-data.ts';
import { checkpointsOf, eventsOf, newModel, sampledGroups, startJob, startSftJob } from './training-jobs.ts';

let data: string;
beforeEach(() => {
  data = testDataDirectory();
});
afterEach(() => rmSync(data, { recursive: true, force: true }));

const groups = 20;

test('a job killed after any event resumes at the next start and makes one checkpoint [training 47]', async () => {
  let heddle = await startHeddle(data);
  const project = heddle.newProject();
  const model = await newModel(heddle, project);
  const trajectories = await sampledGroups(heddle, groups);

  const first = await startJob(heddle, model, trajectories);
  heddle = await killedAnd(heddle); // when the job is acknowledged
  await until(async () => (await typesOf(heddle, first)).includes('training_started'));
  heddle = await killedAnd(heddle);
  await expectWhole(heddle, first);
  expect(await checkpointsOf(heddle, model)).toMatchObject([{ step: 1 }]);

  const second = await startSftJob(heddle, model, groups, { metric_logging: { enabled: true } });
  await until(async () => (await typesOf(heddle, second)).includes('gradient_step'));
  heddle = await killedAnd(heddle);
  await until(async () => (await checkpointFiles()).some((file) => file.includes(second)));
  heddle = await killedAnd(heddle); // while the checkpoint is written
  await expectWhole(heddle, second);
  expect(await checkpointsOf(heddle, model)).toMatchObject([{ step: 1 }, { step: 2 }]);
  expect(await heddle.command('runs', 'show', `${project}/agent`)).toContain(`finished, ${groups + 1} rows`);
  await heddle.close();
});

async function killedAnd(heddle: Heddle): Promise<Heddle> {
  await heddle.end('SIGKILL');
  return startHeddle(data);
}

async function typesOf(heddle: Heddle, job: string): Promise<string[]> {
  return (await eventsOf(heddle, job)).map(({ type }) => type);
}

/** Each event once, and as many steps as the first one says. */
async function expectWhole(heddle: Heddle, job: string): Promise<void> {
  await until(async () => (await typesOf(heddle, job)).includes('training_ended'));
  const events = await eventsOf(heddle, job);
  const steps = events.filter(({ type }) => type === 'gradient_step');
  expect(steps).toHaveLength(events[0]!.data.num_sequences!);
  expect(steps.length).toBeGreaterThan(5);
  const types = events.map(({ type }) => type);
  expect(types).toEqual(['training_started', ...steps.map(() => 'gradient_step'), 'training_ended']);
}

async function checkpointFiles(): Promise<string[]> {
  return (await keysOfFiles(data)).filter((key) => /^projects\/.*\/checkpoints\//.test(key));
}

async function until(isTrue: () => Promise<boolean>): Promise<void> {
  while (!(await isTrue())) await setTimeout(5);
}
