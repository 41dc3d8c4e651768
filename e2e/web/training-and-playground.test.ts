import type { Page } from 'playwright-core';
import { beforeEach, describe, expect, test } from 'vitest';
import { newModel, startSftJob } from '../training/training-jobs.ts';
import { seriousFaults } from './accessibility.ts';
import { browserPath } from './browser.ts';
import { browserForFile } from './browser-for-file.ts';

/** Needs a browser: `apt-get install chromium`. */
describe.skipIf(browserPath === null)('the pages about models', () => {
  const web = browserForFile();
  let page: Page;
  let project: string;
  beforeEach(() => {
    ({ page, project } = web);
  });

  const { open } = web;

  test('the training page shows a model as soon as there is one, with live curves, the reason of a failure and its checkpoint', async () => {
    const { server } = web;
    await open('training');
    await page.getByText(`heddle train --project ${project}`).first().waitFor();
    const model = await newModel(server, project);
    await page.getByRole('heading', { name: 'agent' }).waitFor();
    await startSftJob(server, model, 4);
    await page.getByRole('figure', { name: /^Loss: 4 steps, training from/ }).waitFor();
    await page.getByText('ended').first().waitFor();

    const url = `data:application/jsonl;base64,${Buffer.from('{"no":"messages"}\n').toString('base64')}`;
    await server.post('/v1/preview/sft-training-jobs', { model_id: model, training_data_url: url });
    await page.getByRole('alert').getByText('Line 1: it has no messages').waitFor();
    await page.getByRole('table', { name: 'Training jobs' }).getByText('#1').click();
    await page.getByRole('region', { name: 'Job 1' }).getByText('A checkpoint was made').waitFor();
    expect(await seriousFaults(page)).toEqual([]);

    await page.getByRole('tab', { name: 'Checkpoints' }).click();
    await page.getByRole('table', { name: 'Checkpoints' }).getByRole('link', { name: 'Open in playground' }).click();
    await page.getByRole('heading', { name: 'Chat with agent:step1' }).waitFor();
  });

  test('a running job is canceled after a question', async () => {
    const { server } = web;
    await startSftJob(server, await newModel(server, project), 3000);
    await open('training');
    await page.getByRole('button', { name: 'Cancel job' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Cancel the job' }).click();
    await page.getByRole('region', { name: 'Job 1' }).getByText('canceled', { exact: true }).waitFor();
    await page.getByText('The job was canceled.').waitFor();
    await page.getByRole('button', { name: 'Cancel job' }).waitFor({ state: 'detached' });
  });

  test('calls of the trace table are trained on after a preview of their groups', async () => {
    const { server } = web;
    const question = { messages: [{ role: 'user', content: 'Say <b>yes</b>, no or maybe.' }] };
    const time = new Date().toISOString();
    const batch = ['yes', 'no', 'maybe', 'no'].map((content, index) => ({
      ...{ project_id: project, id: crypto.randomUUID(), trace_id: crypto.randomUUID(), op_name: 'ask' },
      ...{ started_at: time, ended_at: time, attributes: {}, summary: {}, inputs: question },
      output: { choices: [{ message: { role: 'assistant', content } }], score: index % 2 },
    }));
    await server.post(`/v2/${project}/calls/complete`, { batch });
    await open('traces');
    await page.getByRole('checkbox', { name: 'Select all rows' }).check();
    await page.getByRole('button', { name: 'Train on 4' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Model', { exact: true }).fill('agent');
    await dialog.getByLabel('Learn', { exact: true }).selectOption({ index: 1 });
    await dialog.getByLabel('Reward').fill('output.score');
    await dialog.getByRole('button', { name: 'Preview' }).click();
    await dialog.getByRole('alert').getByText('None of these calls can be trained on').waitFor();
    await dialog.getByRole('checkbox', { name: 'Also train answers without logprobs' }).check();
    await dialog.getByRole('button', { name: 'Preview' }).click();
    await dialog.getByRole('region', { name: 'Preview' }).getByText('0 to 1, mean 0.5').waitFor();
    await dialog.getByRole('article', { name: 'Example 1' }).getByText('<b>yes</b>').waitFor();
    expect(await seriousFaults(page)).toEqual([]);
    await dialog.getByRole('button', { name: 'Start training' }).click();
    await page.getByRole('region', { name: 'Job 1' }).getByText('A checkpoint was made').waitFor();
    const rollouts = page.getByRole('region', { name: 'Rollouts' });
    await rollouts.getByRole('article', { name: 'Rollout 4' }).getByText('<b>yes</b>').waitFor();
    expect(await rollouts.getByText('advantage +').count()).toBe(2);
    expect(await rollouts.getByText('advantage -').count()).toBe(2);
    await rollouts.getByLabel('Colours show').selectOption('logprob');
    await rollouts.getByTitle('logprob unknown').first().waitFor();
    expect(await seriousFaults(page)).toEqual([]);

    await open(`calls/${batch[0]!.id}?tab=uses`);
    const uses = page.getByRole('region', { name: 'Training jobs' });
    await uses.getByText('Reinforcement learning').waitFor();
    expect(await seriousFaults(page)).toEqual([]);
    await uses.getByRole('link', { name: 'agent' }).click();
    await page.getByRole('region', { name: 'Job 1' }).waitFor();
  });

  test('the playground asks two models at once, shows alternatives of tokens, and says why one failed', async () => {
    await open('playground');
    await page.getByRole('textbox', { name: 'Max tokens' }).fill('0');
    await page.getByRole('alert').getByText('Enter a whole number of at least 1').waitFor();
    await page.getByRole('textbox', { name: 'Max tokens' }).fill('4');
    await page.getByLabel('Seed').fill('7');
    await page.getByLabel('Token probabilities').selectOption('With 3 alternatives');
    await page.getByRole('button', { name: 'Compare with a second model' }).click();
    await page.getByLabel('Second model').selectOption('Other model …');
    await page.getByLabel('Name of second model').fill('openai/gpt-4o');
    await page.getByLabel('Message').fill('Say yes, no or maybe.');
    await page.keyboard.press('Enter');

    const second = page.getByRole('region', { name: 'Second chat with openai/gpt-4o' });
    await second.getByRole('alert').getByText('OPENAI_API_KEY is not set').waitFor();
    const first = page.getByRole('region', { name: 'Chat with heddle/tiny', exact: true });
    const trace = first.getByRole('link', { name: 'trace' });
    await trace.waitFor();
    expect(await trace.evaluate((link) => getComputedStyle(link).textDecorationLine)).toBe('underline');
    await first.getByRole('group', { name: /^Tokens of the answer/ }).press('ArrowRight');
    expect(await first.getByRole('row').count()).toBeGreaterThanOrEqual(3);
    expect(await seriousFaults(page)).toEqual([]);

    const sent = new URL(page.url()).searchParams;
    expect(Object.fromEntries(sent)).toMatchObject({
      max_tokens: '4',
      seed: '7',
      logprobs: '3',
      other: 'openai/gpt-4o',
    });
    await trace.click();
    await page.getByRole('link', { name: 'Open in playground' }).click();
    await page.getByRole('textbox', { name: 'Max tokens' }).waitFor();
    expect(await page.getByRole('textbox', { name: 'Max tokens' }).inputValue()).toBe('4');
    expect(await page.getByLabel('Message').inputValue()).toBe('Say yes, no or maybe.');
  });
});
