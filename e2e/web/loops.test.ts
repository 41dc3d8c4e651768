import type { Page } from 'playwright-core';
import { beforeEach, describe, expect, test } from 'vitest';
import { seriousFaults } from './accessibility.ts';
import { browserPath } from './browser.ts';
import { browserForFile } from './browser-for-file.ts';

/** Needs a browser: `apt-get install chromium`. */
describe.skipIf(browserPath === null)('the pages of loops', { timeout: 180_000 }, () => {
  const web = browserForFile();
  let page: Page;
  let project: string;
  beforeEach(() => {
    ({ page, project } = web);
  });

  test('a loop is started from Traces; its turn asks, is promoted after a yes, and is undone', async () => {
    const { open } = web;
    await open('loops');
    await page.getByText(`heddle loop save support --project ${project}`).waitFor();
    await shoot('nothing');
    await chats();
    await page.getByRole('button', { name: 'New loop' }).click();
    await form().getByText('This project has no policy yet.').waitFor();
    await form().getByRole('link', { name: 'Freeze one on the page Gates' }).waitFor();
    expect(await form().getByRole('button', { name: 'Create' }).isDisabled()).toBe(true);
    expect(await seriousFaults(page)).toEqual([]);
    await shoot('form-nothing');
    await suiteAndPolicy();

    await open('traces?q=op_name~chat&range=30d');
    await page.getByRole('button', { name: 'Start a loop' }).click();
    const condition = await form().getByLabel('Condition on chats').inputValue();
    expect(JSON.parse(condition)).toEqual({
      filter: { topmost_calls_only: true },
      query: { $expr: { $contains: expect.objectContaining({ input: { $getField: 'op_name' } }) } },
    });
    await form().getByText('op_name~chat, of traces only').waitFor();
    await form().getByText('Without the time range of Traces').waitFor();
    await form().getByLabel('Name', { exact: true }).fill('support');
    await form().getByLabel('Model', { exact: true }).fill('agent');
    const score = form().getByLabel('Score', { exact: true });
    const offered = page.locator(`datalist[id="${await score.getAttribute('list')}"] option`);
    await expect
      .poll(() => offered.evaluateAll((all) => all.map((each) => each.getAttribute('value'))))
      .toEqual(['feedback.[thumbs].payload.value']);
    await score.fill('feedback.[thumbs].payload.value');
    await form().getByLabel('Gate scorer').fill('contains');
    await form().getByLabel('Smallest gain that matters').fill('0.1');
    await shoot('form');
    await fold('Training');
    await form().getByLabel('Epochs').fill('3');
    await form().getByLabel('Learning rate').fill('0.005');
    await fold('Test');
    await expect.poll(() => form().getByLabel('Message to the models').inputValue()).toBe('{question}');
    await form().getByLabel('Temperature').fill('0');
    await form().getByLabel('Most tokens of an answer').fill('8');
    await fold('Rollout');
    await form().getByLabel('Stages').fill('50, 10');
    await form().getByLabel('Units for each stage').fill('0');
    await form().getByRole('button', { name: 'Create' }).click();
    await form().getByRole('alert').getByText('each stage has a larger share than the one before').waitFor();
    expect(await seriousFaults(page)).toEqual([]);
    await shoot('form-error');
    await form().getByLabel('Stages').fill('50');
    await form().getByLabel('Gate scorer').fill('contains');
    await form().getByRole('button', { name: 'Create' }).click();

    await page.getByRole('heading', { name: 'support', exact: true }).waitFor();
    await page.getByText('No turn has begun yet').waitFor();
    await page.getByText('learns answers with a score of at least 1; 3 epochs; learning rate 0.005').waitFor();
    await shoot('loop-new');
    await page.getByRole('button', { name: 'Start a turn' }).click();
    const turn = page.getByRole('region', { name: 'Turn 1' });
    await turn.getByRole('button', { name: 'Cancel the turn' }).waitFor();
    await shoot('loop-running');

    const question = page.getByRole('region', { name: 'Question of turn 1' });
    await question.getByRole('heading', { name: /50 % of the traffic of bot\?/ }).waitFor({ timeout: 90_000 });
    await turn.getByText('35 kept of 36 matching calls').waitFor();
    await turn.getByRole('row', { name: /^its score is below 1 1$/ }).waitFor();
    await turn.getByRole('link', { name: 'evidence' }).waitFor();
    expect(await turn.getByRole('listitem').allTextContents()).toEqual([
      ...['Collectingdone', 'Trainingdone', 'Testingdone', 'Askingnow', 'Rolling outto come'],
    ]);
    expect(await seriousFaults(page)).toEqual([]);
    await shoot('loop-asking');
    await question.getByLabel('Reason').fill('reads well');
    await question.getByRole('button', { name: 'Yes' }).click();

    await turn.getByText(/has all traffic of bot\.$/).waitFor({ timeout: 60_000 });
    await turn.getByText(/^yes, by .*: reads well$/).waitFor();
    await question.waitFor({ state: 'detached' });
    await page.getByRole('row', { name: /^Turn 1 promoted/ }).waitFor();
    expect(await seriousFaults(page)).toEqual([]);
    await shoot('loop-promoted');
    await turn.getByRole('button', { name: 'Undo' }).click();
    await form().getByLabel('Reason').fill('too short');
    await form().getByRole('button', { name: 'Return the traffic' }).click();
    await turn.getByText('promoted, undone').waitFor();
    await turn.getByText('The traffic was returned to heddle/tiny.').waitFor();
    const { json } = await web.server.get(`/v2/${project}/policies/bot`);
    expect(json.versions[0]).toMatchObject({ shares: { now: 1 }, reason: 'too short' });
    await shoot('loop-undone');

    await turn.getByRole('link', { name: 'agent:step1' }).click();
    await page.waitForURL(/training\?model=agent&tab=checkpoints/);
    await open('loops');
    const loops = page.getByRole('table', { name: 'Loops' });
    await loops.getByRole('row', { name: /^support agent bot 1 promoted, undone when somebody starts it/ }).waitFor();
    expect(await seriousFaults(page)).toEqual([]);
    await shoot('list');
  });

  test('a loop is changed, paused, resumed and deleted, and its turn canceled and declined', async () => {
    const { server, open } = web;
    await chats();
    await suiteAndPolicy();
    const guardrails = [{ metric: 'latency', measure: { kind: 'share_above', limit: 60 }, margin: 0.5 }];
    const messages_template = [{ role: 'user', content: '{question}' }];
    const plan = {
      chats: { where: 'op_name~chat' },
      scorer: { reward: 'feedback.[thumbs].payload.value' },
      method: { kind: 'sft', config: { learning_rate: 5e-3, batch_size: 4 }, experimental_config: { epochs: 3 } },
      ...{ model: 'agent', base_model: 'heddle/tiny', suite: 'exam', approver: 'anyone' },
      gate: {
        ...{ scorers: ['contains'], target: { metric: 'contains', gain: 0.1 }, guardrails },
        model_params: { messages_template, temperature: 0, max_tokens: 8 },
      },
      rollout: {
        policy: 'bot',
        stages: [0.5],
        units: 20,
        hours: 100,
        scorers: [{ reward: 'liked', window_seconds: 1 }],
      },
    };
    const made = await server.post(`/v2/${project}/loops`, { name: 'support', ...plan });
    expect(made.status, made.text).toBe(200);
    const stored = async () => (await server.get(`/v2/${project}/loops/support`)).json;

    const classes = { _type: 'SavedView', _class_name: 'SavedView', _bases: ['BaseObject', 'BaseModel'] };
    const definition = { _type: 'SavedViewDefinition', filter: { op_names: ['chat'] } };
    const val = { ...classes, view_type: 'traces', label: 'Only chats', definition };
    await server.post('/obj/create', { obj: { project_id: project, object_id: 'chats', val } });
    await open('traces?view=chats');
    await page.getByRole('button', { name: 'Only chats' }).waitFor();
    await page.getByRole('button', { name: 'Start a loop' }).click();
    await expect.poll(() => form().getByLabel('Chats of a saved view').inputValue()).toBe('chats');
    expect(await form().getByLabel('Condition on chats (optional)').inputValue()).toBe('');

    await open('loops/support');
    await page.getByRole('button', { name: 'Change the plan' }).click();
    await form().getByRole('button', { name: 'Edit as JSON' }).click();
    const json = form().getByLabel('Plan as JSON');
    expect(JSON.parse(await json.inputValue()).gate.guardrails).toMatchObject(guardrails);
    await json.fill('{');
    await form().getByRole('button', { name: 'Save' }).click();
    await form().getByRole('alert').getByText('The plan is not valid JSON').waitFor();
    await shoot('form-json');
    await form().getByRole('button', { name: 'Discard and use the fields' }).click();
    await fold('Approval and schedule');
    await form()
      .getByLabel(/^A turn every/)
      .fill('168');
    await form().getByRole('button', { name: 'Save' }).click();
    await page.getByText('every 7 days').first().waitFor();
    const { plan: before } = made.json;
    expect((await stored()).plan).toEqual({ ...before, every_hours: 168 });

    await page
      .getByText(/^in [67] d/)
      .first()
      .waitFor();
    await page.getByRole('row', { name: /^Turn 1 waiting not yet/ }).waitFor();
    await shoot('loop-waiting');
    await page.getByRole('button', { name: 'Start a turn' }).click();
    const turn = page.getByRole('region', { name: 'Turn 1' });
    const question = page.getByRole('region', { name: 'Question of turn 1' });
    await question.waitFor({ timeout: 90_000 });
    await page.getByRole('button', { name: 'Pause' }).click();
    await form().getByLabel('Reason').fill('a holiday');
    await form().getByRole('button', { name: 'Pause' }).click();
    await page.getByText(/^Paused .*: a holiday$/).waitFor();
    expect(await seriousFaults(page)).toEqual([]);
    await shoot('loop-paused');
    await page.getByRole('button', { name: 'Resume' }).click();
    await page.getByText(/^Paused/).waitFor({ state: 'detached' });
    await question.getByRole('button', { name: 'Yes' }).click();
    await turn.getByText(/1 of 1: 50 % of the traffic/).waitFor({ timeout: 30_000 });
    await turn.getByText(/^The stage lasts until /).waitFor({ timeout: 30_000 });
    await turn.getByText('0 of 20 units counted').waitFor();
    await shoot('loop-rolling-out');
    await turn.getByRole('button', { name: 'Cancel the turn' }).click();
    await form().getByRole('button', { name: 'End the turn' }).click();
    await page.getByRole('row', { name: /^Turn 1 canceled/ }).waitFor({ timeout: 30_000 });
    await page.getByRole('row', { name: /^Turn 2 waiting not yet/ }).waitFor();
    await shoot('loop-canceled');

    await page.getByRole('button', { name: 'Start a turn' }).click();
    const second = page.getByRole('region', { name: 'Question of turn 2' });
    await second.getByLabel('Reason').fill('not yet', { timeout: 90_000 });
    await second.getByRole('button', { name: 'No' }).click();
    await page.getByRole('region', { name: 'Turn 2' }).getByText('The candidate was declined: not yet.').waitFor();
    await page.getByRole('button', { name: 'Turn 1' }).click();
    await turn.getByText('canceled').first().waitFor();

    await page.getByRole('button', { name: 'Delete' }).click();
    await form().getByRole('button', { name: 'Delete the loop' }).click();
    await page.getByRole('heading', { name: 'No loops yet' }).waitFor();
  });

  const form = () => page.getByRole('dialog');
  const fold = (title: string) => form().locator('summary').filter({ hasText: title }).click();

  /** Chats about the weather, of which users like all answers but one. */
  async function chats(): Promise<void> {
    const ids = Array.from({ length: 36 }, () => crypto.randomUUID());
    const batch = ids.map((id, i) => {
      const messages = [{ role: 'user', content: `Will it rain in ${i} days?` }];
      const choices = [{ message: { role: 'assistant', content: 'maybe' }, finish_reason: 'stop' }];
      const time = { started_at: '2026-01-01T00:00:00Z', ended_at: '2026-01-01T00:00:01Z' };
      const of = { project_id: project, id, trace_id: id, op_name: 'chat', attributes: {}, summary: {} };
      return { ...of, ...time, inputs: { model: 'gpt-5', messages }, output: { choices } };
    });
    const logged = await web.server.post(`/v2/${project}/calls/complete`, { batch });
    expect(logged.status, logged.text).toBe(200);
    for (const [i, id] of ids.entries()) {
      const rating = { feedback_type: 'thumbs', payload: { value: i > 0 ? 1 : 0 } };
      const weave_ref = `weave:///${project}/call/${id}`;
      await web.server.post('/feedback/create', { project_id: project, weave_ref, ...rating });
    }
  }

  async function suiteAndPolicy(): Promise<void> {
    const { server } = web;
    const rows = Array.from({ length: 60 }, (_, i) => ({ question: `Is ${i} a lucky number?`, expected: 'maybe' }));
    await server.post(`/v2/${project}/datasets`, { name: 'questions', rows });
    await server.post(`/v2/${project}/suites`, { name: 'exam', dataset: 'questions' });
    const traffic = { kind: 'split', shares: { now: 1 } };
    const variants = [{ name: 'now', model: 'heddle/tiny' }];
    const made = await server.post(`/v2/${project}/policies`, { name: 'bot', variants, incumbent: 'now', traffic });
    expect(made.status, made.text).toBe(200);
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
