import { describe, expect, test } from 'vitest';
import { describeEvents, describeJob, fitTo, type Shown, statusOf } from './show-job.ts';

const job: Shown['job'] = {
  ...{ id: '0199', kind: 'rl', status: 'running', modelId: 'm', model: 'agent', project: 'ent/p', steps: 2 },
  ...{ reward: 0.5, checkpoint: null, error: null, reason: null },
  ...{ createdAt: '2026-01-01T00:00:00Z', startedAt: '2026-01-01T00:00:10Z', endedAt: null },
};
const usage = { seconds: 0, forwardTokens: 0, trainedTokens: 0, optimizerSteps: 0 };
const now = Date.parse('2026-01-01T00:01:15Z');
const event = (type: string, data: object = {}) => ({ id: type, type, data }) as Shown['events'][number];
const step = (loss: number, entropy: number) => event('gradient_step', { 'loss/train': loss, 'loss/entropy': entropy });
const started = event('training_started', {
  ...{ num_sequences: 3, num_trajectories: 1200, num_groups_submitted: 8, num_groups_trainable: 7 },
  ...{ num_trainable_tokens: 5000, num_exact_tokens: 5000, num_reconstructed_tokens: 0 },
});
const warning = event('warning', { message: 'A choice was skipped.' });

describe('a job', () => {
  test('shows what the trainer did, and why it waits or is paused', () => {
    const used = { seconds: 65.2, forwardTokens: 1200, trainedTokens: 34_000, optimizerSteps: 2 };
    const waits = { ...job, reason: 'The server is full.' };
    expect(describeJob({ job: waits, usage: used, rewards: [], events: [] }, 80, now).slice(1, 3)).toEqual([
      'running for 1 min 5 s, waiting: The server is full.',
      'the trainer worked 1 min 5 s: 34,000 tokens trained, 1,200 scored, 2 steps',
    ]);
    const paused = { ...job, status: 'paused' as const, reason: 'They differ.' };
    expect(describeJob({ job: paused, usage, rewards: [], events: [started, step(1, 1)] }, 80, now)[1]).toBe(
      'paused, step 1 of 3: They differ.',
    );
  });

  test('has a curve for each metric, from its first value to its last', () => {
    const events = [warning, started, step(0.5, 0.25), step(-1e-5, 1)];
    expect(describeJob({ usage, job, rewards: [0.1, 0.3], events }, 80, now)).toEqual([
      'ent/p/agent  rl  0199',
      'running for 1 min 5 s, step 2 of 3',
      '1,200 trajectories in 8 groups, 7 of them to learn from',
      '5,000 tokens trained: 5,000 exact, 0 reconstructed',
      'reward, 3 jobs       0.100 ▁▄█ 0.500',
      'loss                 0.500 █▁ -1.00e-5',
      'entropy              0.250 ▁█ 1.00',
      'warning: A choice was skipped.',
    ]);
  });

  test('of supervised fine-tuning has a curve of its held-out loss', () => {
    const data = { num_sequences: 2, num_trajectories: 9, num_held_out_trajectories: 1, num_trainable_tokens: 70 };
    const validation = (loss: number) => event('validation', { step: 1, 'val/loss': loss });
    const events = [event('training_started', data), validation(2), step(1, 1), validation(1)];
    const sft = { ...job, kind: 'sft' as const, reward: null };
    expect(describeJob({ usage, job: sft, rewards: [], events }, 80, now).slice(2)).toEqual([
      '9 conversations, 1 held out; 70 tokens trained',
      'loss                  1.00',
      'entropy               1.00',
      'held-out loss         2.00 █▁ 1.00',
    ]);
    expect(describeEvents([], events)).toContain('held-out loss after step 1: 1.00');
  });

  test('of preferences, or with a grader, has its data and what is held out', () => {
    const pairs = event('training_started', { num_sequences: 2, num_pairs: 4, num_trainable_tokens: 9 });
    expect(
      describeJob({ usage, job: { ...job, kind: 'dpo', reward: null }, rewards: [], events: [pairs] }, 80, now)[2],
    ).toBe('4 pairs, 0 too long; 9 tokens trained');
    const prompts = event('training_started', { num_sequences: 2, num_prompts: 4, num_dropped_prompts: 1 });
    const events = [prompts, event('validation', { 'val/reward': 0.5 }), event('checkpoint', { step: 1 })];
    expect(describeEvents([], [...events, event('notice', { message: 'The job is paused' })])).toEqual([
      'started, 2 steps',
      'held-out reward after step 0: 0.500',
      'checkpoint at step 1',
      'The job is paused',
    ]);
    const shown = describeJob({ usage, job: { ...job, kind: 'rft', reward: null }, rewards: [], events }, 80, now);
    expect(shown[2]).toBe('4 prompts, 1 too long');
    expect(shown[3]).toMatch(/^held-out reward +0\.500$/);
  });

  test('shows whether it is queued or preparing', () => {
    const waiting = { ...job, status: 'queued' as const, startedAt: null };
    expect(describeJob({ usage, job: waiting, rewards: [], events: [] }, 80, now)).toEqual([
      'ent/p/agent  rl  0199',
      'queued, behind other jobs',
      'reward               0.500',
    ]);
    expect(describeJob({ usage, job, rewards: [], events: [] }, 80, now)[1]).toBe('running for 1 min 5 s, preparing');
  });

  test('shows its checkpoint once it has completed', () => {
    const ended = { ...job, status: 'ended' as const, endedAt: '2026-01-01T03:10:12Z', checkpoint: 4 };
    const [, line] = describeJob({ usage, job: ended, rewards: [], events: [started, step(1, 1)] }, 80, now);
    expect(line).toBe('ended after 3 h 10 min, step 1 of 3, served as wandb-artifact:///ent/p/agent:step4');
  });

  test('shows why it failed', () => {
    const failed = {
      ...job,
      status: 'failed' as const,
      reward: null,
      endedAt: job.startedAt,
      error: 'The loss is NaN.',
    };
    const events = [event('training_failed', { error_message: 'The loss is NaN.' })];
    expect(describeJob({ usage, job: failed, rewards: [], events }, 80, now).slice(1)).toEqual([
      'failed after 0 s',
      'The loss is NaN.',
    ]);
    expect(statusOf(failed)).toBe('failed');
    expect(statusOf({ ...failed, error: 'The job was canceled.' })).toBe('canceled');
  });
});

test('outside a terminal, shows a tenth of the steps and every warning', () => {
  const many = event('training_started', { num_sequences: 20 });
  const steps = Array.from({ length: 20 }, () => step(0.5, 1));
  expect(describeEvents([], [warning, many, ...steps.slice(0, 3)])).toEqual([
    'warning: A choice was skipped.',
    'started, 20 steps',
    'step 2 of 20: loss 0.500, entropy 1.00',
  ]);
  const rest = describeEvents([many, ...steps.slice(0, 3)], [...steps.slice(3), event('alarm', { message: 'Stop.' })]);
  expect(rest).toHaveLength(10);
  expect(rest.slice(-2)).toEqual(['step 20 of 20: loss 0.500, entropy 1.00', 'ALARM: Stop.']);
});

test('lines are cut to the size of the terminal', () => {
  const lines = ['12345', '123456', '3', '4'];
  expect(fitTo(lines, { columns: 6, rows: 5 })).toEqual(['12345', '1234…', '3', '4']);
  expect(fitTo(lines, { columns: 80, rows: 4 })).toEqual(['12345', '123456', '… and 2 more lines']);
});
