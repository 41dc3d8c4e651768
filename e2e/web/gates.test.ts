import type { Page } from 'playwright-core';
import { beforeEach, describe, expect, test } from 'vitest';
import { seriousFaults } from './accessibility.ts';
import { browserPath } from './browser.ts';
import { browserForFile } from './browser-for-file.ts';

/** Needs a browser: `apt-get install chromium`. */
describe.skipIf(browserPath === null)('the pages of gates', () => {
  const web = browserForFile();
  let page: Page;
  let project: string;
  beforeEach(() => {
    ({ page, project } = web);
  });

  test('a suite is frozen and a gate on it started, whose page shows the verdict with its evidence', async () => {
    const { server, open } = web;
    await open('gates');
    await page.getByText(`heddle gate start --project ${project}`).waitFor();
    const rows = Array.from({ length: 60 }, (_, i) => ({ word: `word ${i}`, language: i % 15 === 0 ? 'de' : 'en' }));
    await server.post(`/v2/${project}/datasets`, { name: 'words', rows });
    await publishModel('long', 12);
    await publishModel('short', 1);

    await page.reload();
    await page.getByRole('button', { name: 'Freeze a suite' }).click();
    const freeze = page.getByRole('dialog');
    await freeze.getByLabel('Name').fill('words-1');
    await freeze
      .getByLabel('Thread column')
      .getByRole('option', { name: 'word', exact: true })
      .waitFor({ state: 'attached' });
    await freeze.getByLabel('Thread column').selectOption('word');
    await freeze.getByRole('button', { name: 'Freeze', exact: true }).click();
    const suites = page.getByRole('table', { name: 'Suites' });
    await suites.getByRole('row', { name: /words-1 words for gates 60 0\.05 0/ }).waitFor();

    await suites.getByRole('button', { name: 'Start a gate' }).click();
    const form = page.getByRole('dialog');
    await form.getByRole('combobox', { name: 'Candidate' }).fill('long');
    await form.getByRole('combobox', { name: 'Incumbent' }).fill('short');
    const scorer = form.getByRole('group', { name: 'scorer 1' }).getByRole('combobox');
    await scorer.fill('absent');
    await form.getByLabel('Smallest gain').fill('0.2');
    await form.getByRole('button', { name: 'Add a guardrail' }).click();
    await form.getByRole('group', { name: 'guardrail 1' }).getByLabel('Limit').fill('3000');
    await form.getByLabel('Margin', { exact: true }).fill('0.3');
    await form.getByRole('button', { name: 'Add a slice' }).click();
    await form.getByLabel('Column', { exact: true }).fill('language');
    await form.getByLabel('Value', { exact: true }).fill('de');
    await form.getByRole('button', { name: 'Start the gate' }).click();
    await form.getByRole('alert').getByText('has no scorer absent').waitFor();
    expect(await seriousFaults(page)).toEqual([]);
    await shoot('form');
    await scorer.fill(longAnswer);
    await form.getByRole('button', { name: 'Start the gate' }).click();

    await page.getByRole('heading', { name: 'long or short?' }).waitFor();
    const verdict = page.getByRole('region', { name: 'Verdict' });
    const headline = /^Promote: .* is better by [\d.]+ to [\d.]+ on traffic like this suite$/;
    await verdict.getByRole('heading', { name: headline }).waitFor({ timeout: 120_000 });
    await page.getByRole('figure', { name: /^Mean difference.* after \d+ threads$/ }).waitFor();
    const evidence = page.getByRole('table', { name: 'Evidence' });
    await evidence.getByRole('row', { name: /^Better on traffic like it \(decides\) shown/ }).waitFor();
    await evidence.getByRole('row', { name: /^Better on this suite shown/ }).waitFor();
    await page
      .getByRole('table', { name: 'Guardrails' })
      .getByRole('row', { name: /^share of rows with latency above 50 m 00 s 30 pp 0 pp .* shown$/ })
      .waitFor();
    await page
      .getByRole('table', { name: 'Watched metrics' })
      .getByRole('row', { name: /where language is de 0\.1 \d of 4 .* too few rows to rely on$/ })
      .waitFor();
    await page.getByText('This is candidate 1 of words-1. It is tested at α = 0.025').waitFor();
    await page.getByText('This tests the scores, not the truth').waitFor();
    expect(await seriousFaults(page)).toEqual([]);
    await shoot('gate');

    const saved = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Download' }).click();
    expect((await saved).suggestedFilename()).toMatch(/^verdict-.+\.json$/);
    await page.getByText('heddle gate verify verdict-').waitFor();
    await page.getByText('Plan', { exact: true }).click();
    await page.getByText('harm from 0.1').waitFor();

    await page.getByRole('link', { name: 'Compare the answers' }).click();
    await page.waitForURL(/evaluations\/results\?runs=/);
    await open('gates');
    const gates = page.getByRole('table', { name: 'Gates' });
    await gates.getByRole('row', { name: /^promote long short words-1 1 \d+ of 60/ }).waitFor();
    await suites.getByRole('row', { name: /words-1 words for gates 60 0\.05 1 \d+/ }).waitFor();
    expect(await seriousFaults(page)).toEqual([]);
    await shoot('list');
  });

  test('two prompts of one model are compared, with scores of another range, and the page says why it rejects', async () => {
    const { server, open } = web;
    const rows = Array.from({ length: 60 }, (_, i) => ({ word: `word ${i}` }));
    await server.post(`/v2/${project}/datasets`, { name: 'words', rows });
    for (const [name, content] of [
      ['shout', 'Shout {word}'],
      ['say', 'Say {word}'],
    ]) {
      const val = { _type: 'StringPrompt', _class_name: 'StringPrompt', _bases: ['Prompt', 'Object', 'BaseModel'] };
      const obj = { project_id: project, object_id: name, val: { ...val, content } };
      await server.post('/obj/create', { obj });
    }
    await open('gates');
    await page.getByRole('button', { name: 'Freeze a suite' }).click();
    const freeze = page.getByRole('dialog');
    await freeze.getByLabel('Name').fill('words-1');
    await freeze.getByText('Wrong promotions: α = 0.05').click();
    await freeze.getByLabel('α').fill('0.2');
    await freeze.getByRole('button', { name: 'Freeze', exact: true }).click();
    await page.getByRole('row', { name: /words-1 words for gates 60 0\.2 0/ }).waitFor();

    await page.getByRole('button', { name: 'Start a gate' }).first().click();
    const form = page.getByRole('dialog');
    for (const side of ['Candidate', 'Incumbent'] as const) {
      await form.getByRole('combobox', { name: side, exact: true }).fill('heddle/tiny');
    }
    await form.getByLabel('Prompt of the candidate').fill('shout');
    await form.getByLabel('Prompt of the incumbent').fill('say:v0');
    await form.getByText('Messages and sampling of models by name').click();
    await form.getByLabel('Temperature').fill('0');
    await form.getByLabel('Most tokens').fill('9');
    await form.getByRole('group', { name: 'scorer 1' }).getByRole('combobox').fill(longAnswer);
    await form.getByText('Scores from 0 to 1, higher is better').click();
    await form.getByLabel('Highest score').fill('2');
    await form.getByLabel('Smallest gain').fill('1');
    await form.getByRole('button', { name: 'Add a slice' }).click();
    const slice = form.getByRole('group', { name: 'slice 1' });
    await slice.getByText(`Harm in ${longAnswer}`).click();
    await slice.getByLabel('Harm in').selectOption('another metric');
    await slice.getByLabel('Compares').selectOption('a mean with a cap');
    await slice.getByLabel('Metric').fill('output_tokens');
    await slice.getByLabel('Cap (tokens)').fill('20');
    await slice.getByLabel('Smallest harm').fill('15');
    await form.getByText(/^Budget/).click();
    await form.getByLabel('Seed').fill('april');
    expect(await seriousFaults(page)).toEqual([]);
    await shoot('form-by-name');
    await form.getByRole('button', { name: 'Start the gate' }).click();

    await page.getByRole('heading', { name: 'heddle/tiny with shout or heddle/tiny with say:v0?' }).waitFor();
    const verdict = page.getByRole('region', { name: 'Verdict' });
    const headline = `Reject: the gain in ${longAnswer} is below 1, the smallest that matters`;
    await verdict.getByRole('heading', { name: headline }).waitFor({ timeout: 60_000 });
    await page.getByRole('table', { name: 'Watched metrics' }).getByText('output_tokens, at most 20 tokens').waitFor();
    await page.getByText('Plan', { exact: true }).click();
    await page.getByText(`${longAnswer}, from 0 to 2, higher is better`).waitFor();
    await page.getByText('april').waitFor();
    await shoot('reject');
  });

  test('the page says how many rows are missing, and shows clean threads beside all', async () => {
    const { server, open } = web;
    const animals = ['fox', 'crow', 'otter', 'badger', 'heron', 'lynx', 'toad', 'hare', 'wren', 'mole'];
    const rows = animals.map((animal) => ({
      question: `Why did the ${animal} leave the river before the first snow?`,
    }));
    await server.post(`/v2/${project}/datasets`, { name: 'animals', rows });
    await server.post(`/v2/${project}/suites`, { name: 'animals', dataset: 'animals' });
    await train([{ role: 'user', content: rows[3]!.question }]);
    const { json } = await server.post(`/v2/${project}/gates`, {
      ...{ suite: 'animals', candidate: `wandb-artifact:///${project}/agent`, incumbent: 'heddle/tiny' },
      model_params: { messages_template: [{ role: 'user', content: '{question}' }], max_tokens: 2, temperature: 0 },
      ...{ scorers: [longAnswer], target: { metric: longAnswer, gain: 0.05 }, seed: 'april' },
    });
    await open(`gates/${json.id}`);
    const verdict = page.getByRole('region', { name: 'Verdict' });
    const headline = /^Not enough evidence: about [\d,]+ more rows are needed$/;
    await verdict.getByRole('heading', { name: headline }).waitFor({ timeout: 60_000 });
    const evidence = page.getByRole('table', { name: 'Evidence' });
    await evidence.getByRole('row', { name: /^Better on traffic like it \(decides\) not shown [\d.]+$/ }).waitFor();
    await evidence.getByRole('row', { name: /^Better on this suite not shown [\d.]+$/ }).waitFor();
    const threads = page.getByRole('table', { name: 'Clean and all threads' });
    await threads.getByRole('row', { name: /^Clean \(decide\) 9 / }).waitFor();
    await threads.getByRole('row', { name: /^All, .* (9|10) / }).waitFor();
    await verdict.getByText(/^9 of 9( and 1 that are not clean)?$/).waitFor();
    await shoot('not-enough');
  });

  test('a gate is canceled after a question', async () => {
    const { server, open } = web;
    const rows = Array.from({ length: 400 }, (_, i) => ({ word: `word ${i}` }));
    await server.post(`/v2/${project}/datasets`, { name: 'words', rows });
    await server.post(`/v2/${project}/suites`, { name: 'words-1', dataset: 'words' });
    await publishModel('long', 60);
    await publishModel('other', 61);
    const target = { metric: longAnswer, gain: 0.01 };
    const body = { suite: 'words-1', candidate: 'long', incumbent: 'other', scorers: [longAnswer], target };
    const { json } = await server.post(`/v2/${project}/gates`, body);
    await open(`gates/${json.id}`);
    await page.getByRole('button', { name: 'Cancel the gate' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'End it without a verdict' }).click();
    await page.getByRole('heading', { name: 'Canceled without a verdict' }).waitFor();
    await page.getByRole('button', { name: 'Cancel the gate' }).waitFor({ state: 'detached' });
  });

  /** Trains the model `agent` of the project on a chat, although rows of a suite are like it. */
  async function train(messages: object[]): Promise<void> {
    const { server } = web;
    const [entity, name] = project.split('/');
    const model = await server.post('/v1/preview/models', {
      entity,
      project: name,
      name: 'agent',
      base_model: 'heddle/tiny',
    });
    const line = JSON.stringify({ messages: [...messages, { role: 'assistant', content: 'maybe' }] });
    const { json } = await server.post('/v1/preview/sft-training-jobs', {
      ...{ model_id: model.json.id, config: { batch_size: 1 }, allow_suite_rows: true },
      training_data_url: `data:application/jsonl;base64,${Buffer.from(line).toString('base64')}`,
    });
    const status = async () => (await server.get(`/v1/preview/training-jobs/${json.id}`)).json.status;
    await expect.poll(status, { timeout: 60_000 }).toBe('ended');
  }

  /** A model whose answers have this many tokens. */
  async function publishModel(name: string, tokens: number): Promise<void> {
    const class_name = 'LLMStructuredCompletionModel';
    const val = {
      ...{ _type: class_name, _class_name: class_name, _bases: ['Model', 'Object', 'BaseModel'] },
      ...{ name, llm_model_id: 'heddle/tiny' },
      default_params: {
        messages_template: [{ role: 'user', content: 'Say {word}' }],
        ...{ max_tokens: tokens, temperature: 0 },
      },
    };
    await web.server.post('/obj/create', { obj: { project_id: project, object_id: name, val } });
  }

  /** Writes pictures of the page in both themes and on a phone, if a folder for them is given. */
  async function shoot(name: string): Promise<void> {
    const folder = process.env.HEDDLE_SCREENSHOTS;
    if (folder === undefined) return;
    for (const colorScheme of ['dark', 'light'] as const) {
      await page.emulateMedia({ colorScheme });
      await page.screenshot({ path: `${folder}/${name}-${colorScheme}.png` });
    }
    await page.setViewportSize({ width: 390, height: 844 });
    await page.waitForTimeout(800); // the navigation closes
    await page.screenshot({ path: `${folder}/${name}-phone.png` });
    await page.setViewportSize({ width: 1280, height: 720 });
  }
});

/** A rule that answers of few tokens do not pass. */
const longAnswer = 'regex:[^]{2}';
