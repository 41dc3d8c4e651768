import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { type DoubleOptions, openTinkerDouble } from '../../training/tinker/testing/tinker-double.ts';
import { startTestServer } from '../testing/server.ts';
import { jobsOf } from './testing/jobs-of.ts';

const folder = join(import.meta.dirname, '../../../assets/tiny-model');

/** A server that trains at a double, and has measured it. */
async function started(options: Partial<DoubleOptions> = {}, environment: Record<string, string> = {}) {
  const double = await openTinkerDouble({ folder, ...options });
  const server = await startTestServer({
    ...{ HEDDLE_TINKER_URL: double.url, HEDDLE_TINKER_MODELS: 'heddle/tiny=there/tiny' },
    ...environment,
  });
  onTestFinished(() => server.close());
  const jobs = jobsOf(server);
  const project = await server.newProject();
  await jobs.is(await jobs.createSft(await jobs.newModel(project, 'first')), 'ended');
  return { double, server, jobs, project };
}

test('jobs of several models train at once, and no more than the server may', async () => {
  const { double, jobs, project } = await started();
  const goOn = double.hold('forward_backward');
  const models = await Promise.all(['a', 'b', 'c'].map((name) => jobs.newModel(project, name)));
  const [first, second, third] = await Promise.all(models.map((model) => jobs.createSft(model)));
  const statuses = () => Promise.all([first!, second!, third!].map(async (id) => (await jobs.read(id)).status));
  await expect.poll(async () => double.models().length, { timeout: 30_000 }).toBe(2);
  expect((await statuses()).toSorted()).toEqual(['queued', 'running', 'running']);
  goOn();
  for (const id of [first!, second!, third!]) {
    const { usage } = await jobs.is(id, 'ended');
    expect(usage).toMatchObject({ optimizer_steps: 1, forward_tokens: 0, trained_tokens: expect.any(Number) });
    expect(usage.trained_tokens).toBeGreaterThan(0);
    const step = (await jobs.events(id)).find(({ type }: { type: string }) => type === 'gradient_step');
    expect(step.data).toMatchObject({
      'usage/trained_tokens': usage.trained_tokens,
      'usage/seconds': expect.any(Number),
    });
  }
});

test('a project runs no more jobs than it may, and other projects do not wait for it', async () => {
  const { double, server, jobs, project } = await started({}, { HEDDLE_TINKER_PROJECT_JOBS: '1' });
  const goOn = double.hold('forward_backward');
  const first = await jobs.createSft(await jobs.newModel(project, 'a'));
  await jobs.is(first, 'running');
  const second = await jobs.createSft(await jobs.newModel(project, 'b'));
  const other = await jobs.createSft(await jobs.newModel(await server.newProject()));
  await jobs.is(other, 'running');
  expect((await jobs.read(second)).status).toBe('queued');
  goOn();
  for (const id of [first, second, other]) await jobs.is(id, 'ended');
});

test('a job waits, and says so, while the server has no place for its model', async () => {
  const { double, jobs, project } = await started({ modelsMax: 1 });
  const goOn = double.hold('forward_backward');
  const first = await jobs.createSft(await jobs.newModel(project, 'a'));
  await expect.poll(async () => double.models().length, { timeout: 30_000 }).toBe(1);
  const second = await jobs.createSft(await jobs.newModel(project, 'b'));
  const reason =
    /^The Tinker server 127\.0\.0\.1:\d+ has no place for another model\. .*Maximum number of LoRA adapters \(1\) reached/;
  await expect.poll(async () => (await jobs.read(second)).waiting_reason, { timeout: 30_000 }).toMatch(reason);
  goOn();
  await jobs.is(first, 'ended');
  expect(await jobs.is(second, 'ended')).toMatchObject({ waiting_reason: null, usage: { optimizer_steps: 1 } });
});

test('a job whose sampler is not the model of the server pauses instead of failing, and continues there', async () => {
  const { jobs, project } = await started();
  const model = await jobs.newModel(project);
  const id = await jobs.createRl(model, { groups: 2 });
  const paused = await jobs.is(id, 'paused');
  expect(paused.paused_reason).toContain('HEDDLE_TRAINER_SAMPLER_KL_MAX is 0.015');
  expect(paused.usage.optimizer_steps).toBe(1);
  await jobs.resume(id);
  expect((await jobs.is(id, 'ended')).usage.optimizer_steps).toBe(2);
  expect((await jobs.types(id)).filter((type) => type === 'gradient_step')).toHaveLength(2);
  expect(await jobs.checkpoints(model)).toHaveLength(1);
});
