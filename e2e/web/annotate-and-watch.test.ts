import type { Page } from 'playwright-core';
import { beforeEach, describe, expect, test } from 'vitest';
import { seriousFaults } from './accessibility.ts';
import { browserPath } from './browser.ts';
import { browserForFile } from './browser-for-file.ts';

const html = '<img src=x onerror="window.hacked=1"><b>bold</b>';

/** Needs a browser: `apt-get install chromium`. */
describe.skipIf(browserPath === null)('threads, queues and the dashboard', () => {
  const web = browserForFile();
  let page: Page;
  let project: string;
  beforeEach(() => {
    ({ page, project } = web);
  });

  const { open } = web;

  /** Stores calls that start a second after each other. */
  async function log(...calls: Record<string, unknown>[]): Promise<string[]> {
    const begin = Date.now() - 60_000;
    const batch = calls.map((fields, index) => {
      const id = crypto.randomUUID();
      const time = (seconds: number) => new Date(begin + (index + seconds) * 1000).toISOString();
      return {
        ...{ project_id: project, id, trace_id: crypto.randomUUID(), op_name: 'reply', attributes: {}, summary: {} },
        ...{ started_at: time(0), ended_at: time(0.5), inputs: {}, ...fields },
        ...('thread_id' in fields ? { turn_id: id } : {}),
      };
    });
    expect((await web.server.post(`/v2/${project}/calls/complete`, { batch })).status).toBe(200);
    return batch.map(({ id }) => id);
  }

  const message = (role: string, content: string) => ({ role, content });
  const chat = (thread: string, messages: object[], answer: string) => ({
    ...{ thread_id: thread, inputs: { messages }, output: message('assistant', answer) },
    summary: { usage: { 'gpt-4o': { prompt_tokens: 1000, completion_tokens: 10, requests: 1 } } },
  });

  test('a thread is read turn by turn with the keyboard, each message once, up to the turn that failed', async () => {
    await open('threads');
    await page.getByText('with weave.thread("conversation-1"):').waitFor();
    const first = [message('system', 'Be kind.'), message('user', 'Hello?')];
    await log(
      chat('talk', first, 'Hi there.'),
      chat('talk', [...first, message('assistant', 'Hi there.'), message('user', html)], 'Bold.'),
      { thread_id: 'talk', inputs: { question: 'Still there?' }, exception: 'TimeoutError: no answer' },
    );
    const row = page.getByRole('table', { name: 'Threads' }).getByRole('row').filter({ hasText: 'talk' });
    await row.filter({ hasText: 'Hello?' }).click();
    const thread = page.getByRole('complementary', { name: 'Thread talk' });
    await thread.getByText('3 turns · 2,020 tokens · $0.0052').waitFor();
    expect(await thread.getByText('Hello?').count()).toBe(1);
    await page.keyboard.press('n');
    await page.keyboard.press('n');
    const second = thread.getByRole('listitem', { name: 'Turn 2' });
    expect(await second.getAttribute('aria-current')).toBe('true');
    await second.getByText(html).waitFor();
    await second.getByRole('button', { name: 'Show the 3 earlier messages' }).click();
    await second.getByText('Hello?').waitFor();
    expect(await page.evaluate(() => 'hacked' in window || document.querySelector('main img') !== null)).toBe(false);
    expect(await seriousFaults(page)).toEqual([]);
    await page.keyboard.press('n');
    const failed = thread.getByRole('listitem', { name: 'Turn 3' });
    await failed.getByText('TimeoutError: no answer').first().waitFor();
    await page.keyboard.press('Enter');
    await page.getByRole('link', { name: 'talk' }).click();
    await failed.getByText('Still there?').waitFor();
  });

  test('an unknown thread says so', async () => {
    await log({ thread_id: 'talk' });
    await open('threads?thread=unknown');
    await page.getByText('This thread has no turns').waitFor();
    await page.getByLabel('Thread id').fill('unknown');
    await page.getByText('No threads match').waitFor();
    await page.getByRole('button', { name: 'Clear filter and time range' }).click();
    await page.getByRole('row').filter({ hasText: 'talk' }).waitFor();
  });

  test('selected calls are annotated with the keyboard alone, and annotators are compared', async () => {
    const { server } = web;
    const ids = await log(...['first', 'second', html].map((question) => ({ inputs: { question }, output: 'yes' })));
    await open('queues');
    await page.getByText('No queues yet').waitFor();
    await open('traces');
    await page.getByRole('checkbox', { name: 'Select all rows' }).check();
    await page.getByRole('button', { name: 'Add to queue' }).click();
    await page.getByRole('button', { name: 'New queue' }).click();
    await page.getByRole('textbox', { name: 'Name' }).fill('Checks');
    await page.getByRole('button', { name: 'Create queue' }).click();
    await page.getByRole('alert').getByText('Write the question').waitFor();
    await page.getByRole('textbox', { name: 'Question' }).fill('Correct?');
    await page.getByRole('button', { name: 'Add a question' }).click();
    await page.getByRole('textbox', { name: 'Question' }).last().fill('Why?');
    await page.getByRole('combobox', { name: 'Answer' }).last().selectOption('Text');
    await page.getByRole('button', { name: 'Create queue' }).click();
    await page.getByRole('button', { name: 'Add', exact: true }).click();
    await page.getByRole('heading', { name: 'Added 3 of 3 calls' }).waitFor();
    const read = new Set<string>();
    page.on('request', (request) => {
      if (request.url().endsWith('/call/read')) read.add(request.postDataJSON().id);
    });
    await page.getByRole('link', { name: 'Annotate the queue' }).click();

    const call = page.getByRole('article', { name: 'Call' });
    await call.getByText(html).waitFor();
    await expect.poll(() => read.size).toBe(3); // the next ones are loaded before they are asked for
    expect(await seriousFaults(page)).toEqual([]);
    await page.keyboard.press('Enter');
    await page.getByRole('alert').getByText('Answer a question, or skip the call.').waitFor();
    await page.keyboard.press('1');
    await page.keyboard.type('It says yes.');
    await page.keyboard.press('Enter');
    await call.getByText('second').waitFor();
    await page.getByText('Call 2 of 3').waitFor();
    await page.keyboard.press('2');
    await page.getByRole('radio', { name: 'No', checked: true }).waitFor();
    await page.getByRole('textbox', { name: 'Why?' }).press('Enter');
    await call.getByText('first').waitFor();
    await page.keyboard.press('s');
    await page.getByText('You have annotated every call in this queue').waitFor();
    await page.getByText('3 of 3').waitFor();
    expect(await page.evaluate(() => 'hacked' in window)).toBe(false);

    await server.command('users', 'create', 'second', '--entity', server.entity);
    const context = await web.browser.newContext();
    const other = await web.openPage(context);
    // An item can be finished before it is known what the annotator has answered earlier.
    const earlierAnswers = Promise.withResolvers<void>();
    await other.route('**/feedback/query', async (route) => {
      await earlierAnswers.promise;
      await route.continue();
    });
    await other.goto(page.url());
    await other.getByLabel('API key').fill(await server.command('keys', 'create', '--user', 'second'));
    await other.getByRole('button', { name: 'Sign in' }).click();
    for (const [index, digit] of ['1', '1', '1'].entries()) {
      await other.getByText(`Call ${index + 1} of 3`).waitFor();
      await other.keyboard.press(digit);
      await other.getByRole('radio', { name: 'Yes', checked: true }).waitFor();
      await other.getByRole('textbox', { name: 'Why?' }).press('Enter');
    }
    await other.getByText('You have annotated every call in this queue').waitFor();
    earlierAnswers.resolve();
    await other.getByRole('tab', { name: 'Results' }).click();
    const row = other
      .getByRole('table', { name: 'Answers by question' })
      .getByRole('row')
      .filter({ hasText: 'Correct?' });
    await row.getByText('Yes: 4 · No: 1').waitFor();
    await row.getByText('50 %').waitFor();
    const items = other.getByRole('table', { name: 'Items of the queue' });
    await items.getByText('second: Yes · ent: No').waitFor();
    expect(await seriousFaults(other)).toEqual([]);
    await context.close();
    expect(ids).toHaveLength(3);
  });

  test('an item whose answers cannot be saved comes back with them', async () => {
    const { server } = web;
    const call_ids = await log({ inputs: { question: 'one' } }, { inputs: { question: 'two' } });
    const spec = { name: 'Good?', field_schema: { type: 'boolean' } };
    const obj = { project_id: project, object_id: 'good', builtin_object_class: 'AnnotationSpec', val: spec };
    const { digest } = (await server.post('/obj/create', { obj })).json;
    const scorer_refs = [`weave:///${project}/object/good:${digest}`];
    const { id } = (await server.post('/annotation_queues', { project_id: project, name: 'Checks', scorer_refs })).json;
    await server.post(`/annotation_queues/${id}/items`, {
      project_id: project,
      call_ids,
      display_fields: ['inputs.question'],
    });
    await open(`queues/${id}`);
    await page.getByRole('tree', { name: 'inputs.question' }).getByText('one').waitFor();
    await page.route('**/feedback/create', (route) =>
      route.fulfill({ status: 503, json: { reason: 'The disk is full' } }),
    );
    await page.keyboard.press('1');
    await page.keyboard.press('Enter');
    await page.getByText('The disk is full').waitFor();
    await page.getByRole('tree', { name: 'inputs.question' }).getByText('one').waitFor();
    expect(await page.getByRole('radio', { name: 'Yes' }).getAttribute('aria-checked')).toBe('true');
    await page.unroute('**/feedback/create');
    await page.keyboard.press('Enter');
    await page.getByRole('tree', { name: 'inputs.question' }).getByText('two').waitFor();
    await page.getByRole('button', { name: 'Actions of the queue' }).click();
    await page.getByRole('menuitem', { name: 'Delete the queue' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
    await page.getByText('No queues yet').waitFor();
    await open(`queues/${id}`);
    await page.getByText('This queue does not exist').waitFor();
  });

  test('the dashboard shows use by op, model and user, and leads to the calls behind it', async () => {
    await open('dashboard');
    await page.getByText('No calls in this time').waitFor();
    const used = (model: string) => ({ summary: { usage: { [model]: { prompt_tokens: 1000, requests: 1 } } } });
    await log(
      { op_name: html, ...used('gpt-4o') },
      { op_name: 'answer', ...used('gpt-4o'), exception: 'TimeoutError' },
      { op_name: 'answer', ...used('gpt-4o-mini') },
    );
    await page.getByRole('button', { name: 'Look at the last 30 days' }).click();
    await page.getByRole('figure', { name: 'Calls: 3, 1 failed' }).waitFor();
    await page.getByRole('figure', { name: 'Cost: $0.0052' }).waitFor();
    await page.getByRole('combobox', { name: 'Group by' }).selectOption('By user');
    await page.getByRole('table', { name: 'Sums by user' }).getByRole('link', { name: 'ent' }).waitFor();
    await page.getByRole('combobox', { name: 'Group by' }).selectOption('By op');
    const ops = page.getByRole('table', { name: 'Sums by op' });
    await ops.getByRole('row').filter({ hasText: 'answer' }).getByText('50 %').waitFor();
    await ops.getByRole('link', { name: html }).waitFor();
    expect(await seriousFaults(page)).toEqual([]);
    expect(await page.evaluate(() => 'hacked' in window)).toBe(false);
    await page.getByRole('link', { name: 'Show failed calls' }).click();
    await page.getByText('1 shown, that is all.').waitFor();
    await page.goBack();
    await page.getByRole('combobox', { name: 'Group by' }).selectOption('By model');
    await page.getByRole('table', { name: 'Sums by model' }).getByRole('link', { name: 'gpt-4o', exact: true }).click();
    await page.getByText('2 shown, that is all.').waitFor();
  });

  test('the dashboard says why it cannot be shown, and tries again', async () => {
    await log({});
    await page.route('**/calls/stats', (route) =>
      route.fulfill({ status: 500, json: { reason: 'The store is full' } }),
    );
    await open('dashboard');
    await page.getByRole('alert').getByText('The store is full').waitFor();
    await page.unroute('**/calls/stats');
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.getByRole('figure', { name: 'Calls: 1, 0 failed' }).waitFor();
  });
});
