import { expect, onTestFinished, test } from 'vitest';
import { startTestServer } from '../testing/server.ts';
import { jobsOf } from './testing/jobs-of.ts';

async function started(environment: Record<string, string>) {
  const server = await startTestServer(environment);
  onTestFinished(() => server.close());
  return { server, jobs: jobsOf(server), project: await server.newProject() };
}

test('a job whose trainer and sampler differ too much pauses, and makes the steps that are left when it continues', async () => {
  const { jobs, project } = await started({ HEDDLE_TRAINER_SAMPLER_KL_MAX: '0.01' });
  const model = await jobs.newModel(project);
  const id = await jobs.createRl(model, { groups: 2, logprobShift: 1.5 });
  const paused = await jobs.is(id, 'paused');
  expect(paused).toMatchObject({
    paused_reason: expect.stringContaining('more than 10 times the limit'),
    ended_at: null,
  });
  expect(paused.usage).toMatchObject({ optimizer_steps: 1, forward_tokens: 0 });
  expect(paused.usage.seconds).toBeGreaterThan(0);

  // A client that waits for a final event gets one.
  expect(await jobs.types(id)).toEqual(['training_started', 'gradient_step', 'training_failed']);
  const last = (await jobs.events(id)).at(-1);
  expect(last.data).toEqual({ error_message: expect.stringContaining(`heddle jobs resume ${id}`), paused: true });
  expect(await jobs.checkpoints(model)).toEqual([]);

  expect(await jobs.resume(id)).toMatchObject({ status: 200, json: { id, paused_reason: null } });
  const ended = await jobs.is(id, 'ended');
  expect(await jobs.types(id)).toEqual([
    ...['training_started', 'gradient_step', 'notice', 'notice'],
    ...['gradient_step', 'alarm', 'training_ended'],
  ]);
  expect(ended.usage.optimizer_steps).toBe(2);
  const steps = (await jobs.events(id)).filter(({ type }: { type: string }) => type === 'gradient_step');
  const tokens = steps.map(({ data }: any) => data['usage/trained_tokens']);
  expect([tokens[0], tokens[0] + tokens[1]]).toEqual([paused.usage.trained_tokens, ended.usage.trained_tokens]);
  expect(ended.usage.seconds).toBeGreaterThan(paused.usage.seconds);
  expect(await jobs.checkpoints(model)).toHaveLength(1);
  expect((await jobs.resume(id)).status).toBe(409);
});

test('a paused job can be canceled, and cannot continue once its model was trained further', async () => {
  const { jobs, project } = await started({ HEDDLE_TRAINER_SAMPLER_KL_MAX: '0.01' });
  const model = await jobs.newModel(project);
  const id = await jobs.createRl(model, { logprobShift: 1.5 });
  await jobs.is(id, 'paused');
  await jobs.is(await jobs.createSft(model), 'ended');
  expect(await jobs.resume(id)).toMatchObject({
    status: 409,
    text: expect.stringContaining('has been trained further'),
  });
  expect((await jobs.cancel(id)).json).toMatchObject({ status: 'failed' });
  expect((await jobs.types(id)).filter((type) => type === 'training_failed')).toHaveLength(1);
  expect((await jobs.events(id)).at(-1).data).toEqual({ error_message: 'The job was canceled.' });
});

test('the jobs of a project pause once it has trained its tokens of the day', async () => {
  const { server, jobs, project } = await started({ HEDDLE_TRAINING_TOKENS_PER_DAY: '1' });
  const model = await jobs.newModel(project);
  const id = await jobs.createSft(model, 3);
  const paused = await jobs.is(id, 'paused');
  expect(paused.paused_reason).toMatch(
    /^The project has trained \d+ tokens today \(HEDDLE_TRAINING_TOKENS_PER_DAY is 1\)\./,
  );
  expect(paused.usage.optimizer_steps).toBe(1);

  await jobs.resume(id);
  await expect.poll(async () => (await jobs.types(id)).at(-1), { timeout: 30_000 }).toBe('training_failed');
  expect(await jobs.is(id, 'paused')).toMatchObject({ usage: paused.usage });
  const next = await jobs.createSft(await jobs.newModel(project, 'another'));
  expect(await jobs.is(next, 'paused')).toMatchObject({ usage: { optimizer_steps: 0, trained_tokens: 0 } });

  const free = await jobs.createSft(await jobs.newModel(await server.newProject()));
  expect(await jobs.is(free, 'ended')).toMatchObject({ usage: { optimizer_steps: 1 } });
});
