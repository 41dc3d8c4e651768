import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { runTinker } from '../harness/clients.ts';
import { startHeddle } from '../harness/heddle.ts';
import { heddleForFile, testDataDirectory } from '../harness/heddle-for-file.ts';
import { cookbookEnvironment, olderTinkerEnvironment, tinkerEnvironment } from './environment.ts';

type Trained = { losses: number[]; norms: number[]; logprobs: number[][]; weights: { a: number[]; b: number[] } };

/** Written by `reference.py` with PyTorch. */
const reference: Record<string, Trained> = JSON.parse(
  readFileSync(join(import.meta.dirname, 'reference.json'), 'utf8'),
);
const losses = ['cross_entropy', 'importance_sampling', 'ppo', 'cispo', 'dro', 'gspo'];

/** The older client prints that it makes archives. */
const expected = /Creating checkpoint archive/;

const clients = [
  { name: 'the client 0.38.0', environment: tinkerEnvironment },
  { name: 'the client 0.25.0', environment: olderTinkerEnvironment },
];

describe.each(clients)('$name', ({ environment }) => {
  describe.skipIf(!environment.isReady())('against heddle', () => {
    const heddle = heddleForFile();

    test('trains as PyTorch does with every loss, samples, saves and loads', { timeout: 180_000 }, async () => {
      const project = heddle.server.newProject();
      const report = await runTinker(heddle.server, 'flows.py', environment, { args: [project], expected });
      for (const name of losses) expectSame(report[name], reference[name]!, name);

      const { sampling } = report;
      expect(sampling).toMatchObject({
        repeats: true,
        differ: true,
        ids: 2,
        reasons: ['length', 'stop'],
        stopped: true,
        first: null,
        top: [null, 3, 3, 3, 3, 3, 3, 3, 3, 3],
        'best first': true,
        'of base': expect.any(Number),
      });
      for (const each of ['sampled apart', 'prompt apart', 'computed apart']) expect(sampling[each]).toBeLessThan(1e-4);

      const { saving } = report;
      expect(saving['with optimizer']).toEqual(saving.expected);
      expect(saving.without[0]).toBeCloseTo(saving.expected[0], 3);
      expect(saving.without[1]).not.toBeCloseTo(saving.expected[1], 3);
      expect(saving).toMatchObject({ listed: ['weights/state'], left: [], 'in runs': true });

      expect(report.refusals).toEqual({
        stable_reinforce: expect.stringContaining('loss_fn stable_reinforce is not supported'),
        custom: expect.stringContaining('loss_fn custom is not supported'),
        long: expect.stringContaining('data[0].model_input has 1500 tokens'),
        base: expect.stringContaining('The base model no/such is not served here'),
        path: expect.stringContaining('There is no training run x'),
      });
      await expectShown(project, report.paths);
    });

    /** Runs are trained models with jobs, steps are events and calls, and sampler weights are served checkpoints. */
    async function expectShown(project: string, paths: string[]): Promise<void> {
      const { server } = heddle;
      const get = async (path: string) => (await server.get(path)).json;
      const [entity, name] = project.split('/');
      const { data: models } = await get(`/v1/preview/models?entity=${entity}&project=${name}&limit=100`);
      const runs = (await get('/api/v1/training_runs?limit=100')).training_runs;
      const first = runs.find((run: { training_run_id: string }) => paths[0]!.includes(`${run.training_run_id}/`));
      const model = models.find((each: { id: string }) => each.id === first.model_id);
      const { data: jobs } = await get(`/v1/preview/training-jobs?model_id=${model.id}`);
      expect(jobs).toMatchObject([{ type: 'sft', status: 'ended' }]);
      const { data: events } = await get(`/v1/preview/training-jobs/${jobs[0].id}/events`);
      const steps = events.filter(({ type }: { type: string }) => type === 'gradient_step');
      expect(steps).toHaveLength(3);
      expect(steps[0].data['loss/grad_norm']).toBeCloseTo(reference.cross_entropy!.norms[0]!, 1);

      const answer = await server.post('/v1/chat/completions', {
        model: `wandb-artifact:///${project}/${model.name}:step1`,
        messages: [{ role: 'user', content: 'Hi' }],
        max_tokens: 3,
      });
      expect(answer.json.choices).toHaveLength(1);

      const ops = ['forward', 'forward_backward', 'load', 'sample', 'save', 'step'].map((op) => `heddle.tinker.${op}`);
      const stored = async () => {
        const { lines } = await server.post('/calls/stream_query', { project_id: project, columns: ['op_name'] });
        const names = new Set(lines.map((call: { op_name: string }) => call.op_name));
        return [...names].filter((name) => name.startsWith('heddle.tinker.')).sort();
      };
      await expect.poll(stored, { timeout: 10_000 }).toEqual(ops); // they are written in the background
    }
  });
});

describe.skipIf(!tinkerEnvironment.isReady())('a client that dies', () => {
  test('leaves a served checkpoint of what it trained, and its place to the next one', {
    timeout: 120_000,
  }, async () => {
    const server = await startHeddle(testDataDirectory(), {
      HEDDLE_TINKER_SILENT_SECONDS: '12', // living clients send a heartbeat every ten
      HEDDLE_TINKER_MODELS_MAX: '1',
    });
    onTestFinished(() => server.close());
    const project = server.newProject();
    const dies = () => runTinker(server, 'dies.py', tinkerEnvironment, { args: [project], timeoutMs: 90_000 });
    const first = await dies();
    const [entity, name] = project.split('/');
    const runs = (await server.get('/api/v1/training_runs?limit=100')).json.training_runs;
    const { model_id: id } = runs.find((run: { training_run_id: string }) => run.training_run_id === first.model);
    const { data: models } = (await server.get(`/v1/preview/models?entity=${entity}&project=${name}`)).json;
    const model = models.find((each: { id: string }) => each.id === id);
    const status = async () => (await server.get(`/v1/preview/training-jobs?model_id=${id}`)).json.data[0].status;
    await expect.poll(status, { timeout: 60_000 }).toBe('ended');
    const logprobOf = async (asked: string) => {
      const messages = [{ role: 'user', content: 'Hi' }];
      const body = { model: asked, messages, max_tokens: 1, temperature: 0, logprobs: true };
      return (await server.post('/v1/chat/completions', body)).json.choices[0].logprobs.content[0].logprob;
    };
    const trained = await logprobOf(`wandb-artifact:///${project}/${model.name}:step1`);
    expect(trained).not.toBe(await logprobOf('heddle/tiny'));
    await dies(); // only one model may be in training
  });
});

describe.skipIf(!cookbookEnvironment.isReady())('tinker-cookbook 0.5.8', () => {
  const heddle = heddleForFile();

  test('lowers the loss of conversations and raises rewards', { timeout: 300_000 }, async () => {
    const options = { args: [join(import.meta.dirname, '../../assets/tiny-model')], expected: /./, timeoutMs: 290_000 };
    const report = await runTinker(heddle.server, 'cookbook.py', cookbookEnvironment, options);
    expect(report.losses.at(-1)).toBeLessThan(report.losses[0] - 2);
    expect(report.rewards.at(-1)).toBeGreaterThan(report.rewards[0] + 0.1);
    for (const apart of report.apart) expect(Math.abs(apart)).toBeLessThan(1e-4);
  });

  test('trains with a loss that the client computes', { timeout: 300_000 }, async () => {
    const options = { args: [heddle.server.newProject()], timeoutMs: 290_000 };
    const { reported, before, after } = await runTinker(heddle.server, 'custom.py', cookbookEnvironment, options);
    expect(reported).toBeCloseTo(before, 2);
    expect(after).toBeLessThan(before);
  });
});

function expectSame(found: Trained, wanted: Trained, name: string): void {
  for (const key of ['losses', 'norms'] as const) expectNear(found[key], wanted[key], `${key} of ${name}`);
  for (const [i, logprobs] of wanted.logprobs.entries())
    expectNear(found.logprobs[i]!, logprobs, `logprobs of ${name}`);
  for (const part of ['a', 'b'] as const) expectNear(found.weights[part], wanted.weights[part], `${part} of ${name}`);
}

function expectNear(found: number[], wanted: number[], what: string): void {
  expect(found, what).toHaveLength(wanted.length);
  const apart = wanted.map((value, i) => Math.abs(found[i]! - value) / (1 + Math.abs(value)));
  expect(Math.max(...apart), what).toBeLessThan(1e-4);
}
