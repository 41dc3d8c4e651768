import { describe, expect, test } from 'vitest';
import { newModel, startSftJob } from '../training/training-jobs.ts';
import { seriousFaults } from './accessibility.ts';
import { browserPath } from './browser.ts';
import { browserForFile } from './browser-for-file.ts';

/** Needs a browser: `apt-get install chromium`. */
describe.skipIf(browserPath === null)('the page of a project that has trained its tokens of the day', () => {
  const web = browserForFile(async () => ({ HEDDLE_TRAINING_TOKENS_PER_DAY: '1' }));

  test('shows why its job is paused and what the job has cost, and lets it continue', async () => {
    const { server, project, page, open } = web;
    await startSftJob(server, await newModel(server, project), 3);
    await open('training');
    const job = page.getByRole('region', { name: 'Job 1' });
    await job.getByRole('alert').getByText('HEDDLE_TRAINING_TOKENS_PER_DAY is 1').waitFor();
    await job.getByText('Trainer time', { exact: true }).waitFor();
    await job.getByText(/^\d+ trained$/).waitFor();
    expect(await seriousFaults(page)).toEqual([]);
    if (process.env.HEDDLE_SCREENSHOT) await page.screenshot({ path: process.env.HEDDLE_SCREENSHOT, fullPage: true });
    await job.getByRole('button', { name: 'Resume job' }).click();
    await page.getByText('Job #1 continues').waitFor();
    await job.getByText('The job continues').waitFor();
    await job.getByRole('button', { name: 'Cancel job' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Cancel the job' }).click();
    await job.getByText('canceled', { exact: true }).waitFor();
  });
});
