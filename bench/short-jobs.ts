import { mkdtempSync, rmSync } from 'node:fs';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { fetchSmollm2, smollm2 } from '../src/engine/testing/smollm2.ts';
import { type Heddle, pullModel, startHeddle } from './support/heddle.ts';
import { report } from './support/report.ts';
import { shortJobs } from './support/training/short-jobs.ts';

/**
 * How long a job of one optimizer step takes, and how much of that is the step, in a series of jobs for one model, as clients of
 * reinforcement learning send them. `npm run bench -- short-jobs [tiny|smollm2]`
 */
const only = process.argv[2];
const data = mkdtempSync(join(tmpdir(), 'heddle-bench-'));

try {
  await fetchSmollm2('python3');
  await pullModel(data, smollm2.path, 'smollm2');
  const heddle = await startHeddle(data);
  try {
    if (only === undefined || only === 'tiny') await show(heddle, 'heddle/tiny', { answers: 4, tokensMax: 16 });
    if (only === undefined || only === 'smollm2') await show(heddle, 'smollm2', { answers: 16, tokensMax: 48 });
  } finally {
    await heddle.stop();
  }
} finally {
  rmSync(data, { recursive: true, force: true });
}

async function show(heddle: Heddle, baseModel: string, sampled: { answers: number; tokensMax: number }): Promise<void> {
  const done = await shortJobs(heddle, { baseModel, jobs: 5, ...sampled });
  report(`${baseModel}, ${done[0]!.tokens} tokens in a step`, { 'load in the last minute': loadavg()[0]! });
  for (const [job, { seconds, stepSeconds }] of done.entries()) {
    report(`  job ${job + 1}`, { s: seconds, 's of it in the step': stepSeconds, times: seconds / stepSeconds });
  }
}
