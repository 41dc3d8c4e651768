import { expect, test } from 'vitest';
import type { NewEvent } from '../store/postgres/training/jobs.ts';
import { openSamplerCheck } from './sampler-check.ts';

function opened(klMax: number | null, isAccepted = false) {
  const added: NewEvent[] = [];
  return { added, check: openSamplerCheck({ add: async (event) => void added.push(event) }, { klMax, isAccepted }) };
}

test('raises an alarm once when trainer and sampler differ, and pauses the job when they differ ten times as much', async () => {
  const { added, check } = opened(0.01);
  await check({ 'loss/kl_div': 0.01 });
  await check({});
  expect(added).toEqual([]);
  await check({ 'loss/kl_div': 0.02 });
  expect(await check({ 'loss/kl_div': 0.1 })).toBeNull();
  const message =
    "The trainer's logprobs differ from the sampler's: the KL divergence is 0.0200 per token (HEDDLE_TRAINER_SAMPLER_KL_MAX is 0.01).";
  expect(added).toEqual([{ type: 'alarm', data: { message } }]);
  expect(await check({ 'loss/kl_div': 0.11 })).toContain('0.110 per token, more than 10 times the limit');
});

test('checks nothing without a limit', async () => {
  const { added, check } = opened(null);
  await check({ 'loss/kl_div': 5 });
  expect(added).toEqual([]);
});

test('only raises the alarm once a person has let the job continue', async () => {
  const { added, check } = opened(0.01, true);
  expect(await check({ 'loss/kl_div': 5 })).toBeNull();
  expect(added).toMatchObject([{ type: 'alarm' }]);
});
