import { describe, expect, test } from 'vitest';
import { runArt } from '../harness/clients.ts';
import { heddleForFile } from '../harness/heddle-for-file.ts';
import { storedCalls } from '../harness/stored-calls.ts';
import { artEnvironment } from './environment.ts';
import { checkpointsOf, eventsOf } from './training-jobs.ts';

type Report = {
  rewards: number[];
  trained: { step: number; metrics: Record<string, number>; artifact: string }[];
  model_id: string;
};

describe.skipIf(!artEnvironment.isReady())('OpenPipe ART with its ServerlessBackend', () => {
  const heddle = heddleForFile();

  async function play(steps: number, learningRate: string): Promise<{ report: Report; project: string }> {
    const project = heddle.server.newProject();
    // Without a seed, all answers may soon be the same: then nothing is learned, and the entropy does not fall.
    const options = [`--steps=${steps}`, `--learning-rate=${learningRate}`, '--seed=1'];
    const args = [heddle.server.url, heddle.server.key, project, ...options];
    // It shows its progress, and reads a history that does not exist.
    const report = await runArt(heddle.server, 'yes_no_maybe.py', { args, expected: /train:|gather:|history\.jsonl/ });
    return { report, project };
  }

  async function alarmsOf(modelId: string): Promise<string[]> {
    const { json } = await heddle.server.get(`/v1/preview/training-jobs?model_id=${modelId}`);
    const events = await Promise.all(json.data.map(({ id }: { id: string }) => eventsOf(heddle.server, id)));
    return events.flat().flatMap(({ type, data }) => (type === 'alarm' ? [data.message] : []));
  }

  test('trains heddle/tiny to give the rewarded answer, and serves each checkpoint [training 88 91 93]', async () => {
    const { report, project } = await play(5, '5e-3');
    const { rewards, trained } = report;
    expect(rewards[0]).toBeLessThan(0.7);
    expect(rewards.at(-1)).toBeGreaterThan(0.9);
    expect(trained.map(({ step }) => step)).toEqual([1, 2, 3, 4, 5]);
    expect(trained[4]!.artifact).toBe(`${project}/agent:step5`);
    for (const { metrics } of trained) {
      expect(metrics['data/step_num_groups_submitted']).toBe(8);
      // Once all answers are the same there is nothing to learn from, and no step.
      if (metrics['data/step_num_groups_trainable'] === 0) continue;
      expect(metrics['loss/sampler_mismatch']).toBeLessThan(1e-4);
    }
    // The reward rises while the entropy collapses: the model ends up saying one word.
    expect(await alarmsOf(report.model_id)).toContainEqual(expect.stringMatching(/^The entropy fell from [\d.]+ to /));
    // ART keeps the newest checkpoint.
    expect(await checkpointsOf(heddle.server, report.model_id)).toMatchObject([{ step: 5 }]);
    const calls = await storedCalls(heddle.server, project);
    expect(calls.filter(({ op_name }) => op_name === 'heddle.train')).toHaveLength(5);
  });

  test('records runs, checkpoints and provenance with a key in its environment, and forks [training 31 90 92 94 103]', async () => {
    const { server } = heddle;
    const project = server.newProject();
    const report = await runArt(server, 'with_wandb.py', {
      args: [server.url, server.key, project],
      environment: { WANDB_API_KEY: server.key, WANDB_ERROR_REPORTING: 'false' },
      expected: /train:|gather:|sft:|history\.jsonl|session credentials|exception_rate/,
      timeoutMs: 150_000,
    });
    expect(report.rows).toEqual([['val/reward']]);
    expect(report.run.state).toBe('finished');
    expect(Object.keys(report.pulled)).toEqual(['adapter_config.json', 'adapter_model.safetensors']);
    expect(report.latest).toEqual({
      aliases: ['latest', 'step1'],
      metadata: { 'wandb.base_model': 'heddle/tiny', training_step: 1, 'wandb.provenance': ['serverless-rl'] },
      type: 'lora',
      version: 'v0',
    });
    // The fork answers as the model it comes from, and goes on from its step.
    expect(report.fork).toEqual({ same: true, aliases: [['latest', 'step2'], ['step1']], step: 2 });
    expect(report.data).toEqual([expect.stringMatching(/^fork-sft-data-/)]);
  });

  test.runIf(process.env.TEST_LONG)('a learning rate of 0 leaves the model unchanged', async () => {
    const { report } = await play(2, '0');
    expect(Math.abs(report.rewards[1]! - report.rewards[0]!)).toBeLessThan(0.2);
    expect(report.trained[1]!.metrics['loss/sampler_mismatch']).toBeLessThan(1e-4);
  });
});
