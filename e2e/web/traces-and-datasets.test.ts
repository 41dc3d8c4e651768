import { readFileSync } from 'node:fs';
import type { Page } from 'playwright-core';
import { beforeEach, describe, expect, test } from 'vitest';
import { runPython } from '../harness/clients.ts';
import { pythonIsReady } from '../python/environment.ts';
import { seriousFaults } from './accessibility.ts';
import { browserPath } from './browser.ts';
import { browserForFile } from './browser-for-file.ts';

/** Needs Python's SDK and a browser: `apt-get install chromium`. */
describe.skipIf(!pythonIsReady() || browserPath === null)('traces, datasets and prompts', () => {
  const web = browserForFile();
  let page: Page;
  let project: string;
  beforeEach(() => {
    ({ page, project } = web);
  });

  /** Records finished calls, which are traces of their own, and returns their ids. */
  async function record(...calls: Record<string, unknown>[]): Promise<string[]> {
    const batch = calls.map((call, index) => ({
      ...{ project_id: project, id: crypto.randomUUID(), trace_id: crypto.randomUUID(), op_name: 'answer' },
      started_at: `2026-01-01T00:00:00.${100 + index}Z`,
      ended_at: `2026-01-01T00:00:01.${100 + index}Z`,
      ...{ attributes: {}, inputs: {}, output: null, summary: {}, ...call },
    }));
    await web.server.post(`/v2/${project}/calls/complete`, { batch });
    return batch.map(({ id }) => id);
  }

  const { open } = web;
  const traces = () => page.getByRole('table', { name: 'Traces' });

  test('views that the SDK saved open on the page, and views that the page saved open in the SDK', async () => {
    const saved = await runPython(web.server, 'saved_views.py', { args: [project, 'save'], expected: /too hard/ });
    expect(saved.calls).toBe(2);
    await page.goto(saved.address);
    await page.getByText('2 shown, that is all.').waitFor();
    expect(await page.getByRole('combobox', { name: 'Filter' }).inputValue()).toBe(
      'op_name:answer status:error not inputs.level>=9.0 started_at>2026-01-01T00:00:00.000Z',
    );
    await traces().getByRole('columnheader', { name: 'question' }).waitFor();
    await page.getByRole('list', { name: 'Other conditions' }).getByText('inputs.question contains "(a)"').waitFor();
    expect(await seriousFaults(page)).toEqual([]);

    await page.getByRole('combobox', { name: 'Filter' }).fill('op_name:answer inputs.level<2');
    await page.getByRole('button', { name: 'Hard questions (changed)' }).click();
    await page.getByRole('menuitem', { name: 'Save as a new view…' }).click();
    await page.getByRole('textbox', { name: 'Name' }).fill('hard QUESTIONS');
    await page.getByRole('alert').getByText('Another view has this name').waitFor();
    await page.getByRole('textbox', { name: 'Name' }).fill('Easy <b>ones</b>');
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Easy <b>ones</b>', exact: true }).waitFor();
    const name = new URL(page.url()).searchParams.get('view')!;
    const loaded = await runPython(web.server, 'saved_views.py', { args: [project, 'open', name] });
    expect(loaded).toEqual({
      label: 'Easy <b>ones</b>',
      calls: [0, 1],
      columns: ['Name', 'inputs.question', 'Status'],
    });
  });

  test('views are renamed and deleted, and the address of one that is gone says so', async () => {
    await record({ op_name: 'ask' }, { op_name: 'answer' });
    await open('traces?q=op_name%3Aask');
    await page.getByRole('button', { name: 'Views' }).click();
    await page.getByRole('menuitem', { name: 'Save as a new view…' }).click();
    await page.getByRole('textbox', { name: 'Name' }).fill('Questions');
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByRole('button', { name: 'Questions' }).click();
    await page.getByRole('menuitem', { name: 'Rename…' }).click();
    await page.getByRole('textbox', { name: 'Name' }).fill('All questions');
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'All questions' }).waitFor();
    const name = new URL(page.url()).searchParams.get('view');
    await open(`traces?view=${name}`);
    await page.getByText('1 shown, that is all.').waitFor();
    await page.getByRole('button', { name: 'All questions' }).click();
    await page.getByRole('menuitem', { name: 'Delete…' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete the view' }).click();
    await page.getByRole('button', { name: 'Views' }).waitFor();
    await open(`traces?view=${name}`);
    await page.getByRole('alert').getByText('does not exist').waitFor();
    await page.getByText('2 shown, that is all.').waitFor();
  });

  test('selected calls are compared, with their differences marked and HTML shown as text', async () => {
    const html = '<img src=x onerror="window.hacked=1">';
    const [first, second] = await record(
      { inputs: { model: 'a', question: 'Why?' }, output: `first\nsame\n${html}` },
      { inputs: { model: 'b', question: 'Why?' }, output: 'second\nsame' },
      { inputs: { model: 'c' }, exception: 'ValueError: no' },
    );
    await open('traces');
    await page.getByRole('checkbox', { name: 'Select all rows' }).check();
    await page.getByRole('button', { name: 'Compare 3' }).click();
    await page.getByRole('heading', { name: 'Compare 3 calls' }).waitFor();
    await page.getByText('ValueError: no').last().waitFor();
    expect(await seriousFaults(page)).toEqual([]);

    await open(`compare?calls=${first},${second}`);
    const rows = page.getByRole('table', { name: 'Compared calls' }).getByRole('row');
    await rows.filter({ hasText: 'question' }).waitFor();
    await page.getByRole('checkbox', { name: 'Only differences' }).check();
    await rows.filter({ hasText: 'question' }).waitFor({ state: 'detached' });
    await rows.filter({ hasText: '+ second' }).getByText(html).first().waitFor();
    expect(await page.evaluate(() => 'hacked' in window)).toBe(false);

    await open(`compare?calls=${first},${crypto.randomUUID()}`);
    await page.getByRole('alert').getByText('This call does not exist').waitFor();
    await page.getByRole('button', { name: 'Remove from the comparison' }).last().click();
    await page.getByText('Choose calls to compare').waitFor();
  });

  test('calls are exported as Parquet', async () => {
    await record({ inputs: { question: 'Why?' } });
    await open('traces');
    await page.getByRole('button', { name: 'Export' }).click();
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('menuitem', { name: 'As Parquet' }).click(),
    ]);
    expect(download.suggestedFilename()).toBe(`${project.replace('/', '-')}-calls.parquet`);
    const bytes = readFileSync(await download.path());
    expect([bytes.subarray(0, 4), bytes.subarray(-4)].map(String)).toEqual(['PAR1', 'PAR1']);
    await page.getByText('Exported 1 call').waitFor();
  });

  test('calls are added to a dataset, whose rows are edited into a new version unless another one was published', async () => {
    const [call] = await record({ inputs: { question: 'What is <b>2 + 2</b>?' }, output: '4' });
    await open('traces');
    await page.getByRole('checkbox', { name: 'Select all rows' }).check();
    await page.getByRole('button', { name: 'Add to dataset' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Name of the dataset').fill('sums');
    await dialog.getByLabel('Name of column 2').fill('expected');
    await dialog.getByText(`weave:///${project}/call/${call}`).waitFor();
    expect(await seriousFaults(page)).toEqual([]);
    await dialog.getByRole('button', { name: 'Add', exact: true }).click();
    const rows = page.getByRole('table', { name: 'Rows' }).getByRole('row');
    await rows.filter({ hasText: 'What is <b>2 + 2</b>?' }).waitFor();

    await open(`calls/${call}?tab=uses`);
    await page.getByRole('region', { name: 'Datasets' }).getByText('1 row').waitFor();
    expect(await seriousFaults(page)).toEqual([]);
    await page.getByRole('link', { name: 'sums v0' }).click();

    await page.getByRole('button', { name: 'Edit rows' }).click();
    await rows.nth(1).click();
    const editor = page.getByLabel('Row as JSON');
    await editor.fill('{"question": ');
    await page.getByRole('alert').getByText('This is not JSON').waitFor();
    await editor.fill('{"question": "What is 3 + 3?", "expected": "6"}');
    await page.getByRole('button', { name: 'Add a row' }).click();
    await editor.fill('{"question": "What is 1 + 1?", "expected": "2"}');
    await page.getByRole('status').getByText('1 changed, 1 added').waitFor();
    expect(await seriousFaults(page)).toEqual([]);
    await page.getByRole('button', { name: 'Publish a new version' }).click();
    await page.getByText('2 rows').waitFor();
    await rows.filter({ hasText: 'What is 3 + 3?' }).waitFor();
    await rows.filter({ hasText: 'What is <b>2 + 2</b>?' }).waitFor({ state: 'detached' });

    await page.getByRole('button', { name: 'Edit rows' }).click();
    await rows.nth(1).click();
    await page.getByRole('button', { name: 'Delete this row' }).click();
    const other = {
      _type: 'Dataset',
      _class_name: 'Dataset',
      _bases: ['Object', 'BaseModel'],
      name: 'other',
      rows: '',
    };
    await web.server.post('/obj/create', { obj: { project_id: project, object_id: 'sums', val: other } });
    await page.getByRole('button', { name: 'Publish a new version' }).click();
    await page.getByRole('alert').getByText("The latest version of 'sums' is").waitFor();
    await page.getByRole('status').getByText('1 deleted').waitFor();
  });

  test('messages and settings are saved as a prompt, which loads again and which the SDK can get', async () => {
    await open('playground');
    await page.getByLabel('System prompt').fill('Answer in one word.');
    await page.getByRole('textbox', { name: 'Temperature' }).fill('0.5');
    await page.getByLabel('Message').fill('Is {x} a <b>fruit</b>?');
    const save = async (name: string) => {
      await page.getByRole('button', { name: 'Prompts' }).click();
      await page.getByRole('menuitem', { name: 'Save as a prompt…' }).click();
      await page.getByLabel('Name of the prompt').fill(name);
      await page.keyboard.press('Enter');
    };
    await save('no spaces');
    await page.getByRole('alert').getByText('Invalid object name').waitFor();
    expect(await seriousFaults(page)).toEqual([]);
    await page.getByLabel('Name of the prompt').fill('fruits');
    await page.keyboard.press('Enter');
    await page.getByText('Saved the prompt fruits').waitFor();

    await open('objects/fruits/versions/latest');
    await page.getByRole('link', { name: 'Open in playground' }).click();
    await expect.poll(() => page.getByLabel('Message').inputValue()).toBe('Is {x} a <b>fruit</b>?');
    expect(await page.getByLabel('System prompt').inputValue()).toBe('Answer in one word.');
    expect(await page.getByRole('textbox', { name: 'Temperature' }).inputValue()).toBe('0.5');
    await open('playground?prompt=vegetables');
    await page.getByText('There is no prompt vegetables').waitFor();
    const { messages } = await runPython(web.server, 'saved_prompt.py', { args: [project, 'fruits'] });
    expect(messages).toEqual([
      { role: 'system', content: 'Answer in one word.' },
      { role: 'user', content: 'Is kiwi a <b>fruit</b>?' },
    ]);
  });
});
