import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { beforeEach, describe, expect, test } from 'vitest';
import { openSession } from '../../src/store/clickhouse/embedded/session.ts';
import { seriousFaults } from './accessibility.ts';
import { browserPath } from './browser.ts';
import { browserForFile } from './browser-for-file.ts';

/** Needs a browser: `apt-get install chromium`. */
describe.skipIf(browserPath === null)('what was sent is shown as it was sent', () => {
  const web = browserForFile();
  const { open } = web;
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
    const [entity, name] = project.split('/').map(encodeURIComponent);
    await web.server.post(`/v2/${entity}/${name}/calls/complete`, { batch });
    return batch.map(({ id }) => id);
  }

  const rowsOf = (table: string) => page.getByRole('table', { name: table }).getByRole('row');
  const shown = (count: number) => page.getByText(`${count} shown, that is all.`).waitFor();

  describe('numbers', () => {
    /** Numbers that JavaScript changes. */
    const digits = { order_id: '107505301260286111', one: '1.0', zero: '-0', share: '0.1000', huge: '1e400' };
    const order = Object.fromEntries(Object.entries(digits).map(([name, text]) => [name, rawJson(text)]));
    const json = JSON.stringify(order);

    test('in a call, its columns, its filter and a comparison', async () => {
      const neighbour = { ...order, order_id: rawJson('107505301260286112') };
      const calls = await record({ output: order }, { output: neighbour });
      await open(`traces?call=${calls[0]}&cols=name,output.order_id,output.share`);
      await rowsOf('Traces')
        .filter({ hasText: /107505301260286111.*0\.1000/ })
        .waitFor();
      await page.getByRole('tab', { name: 'Data' }).click();
      const output = page.getByRole('tree', { name: 'Output' });
      for (const [name, text] of Object.entries(digits)) {
        await output
          .getByRole('treeitem')
          .filter({ hasText: `${name}:${text}` })
          .last()
          .waitFor();
      }
      await output.getByRole('button', { name: 'Actions for output.order_id' }).click();
      await page.getByRole('menuitem', { name: 'Filter traces by this value' }).click();
      await shown(1);
      await open('traces?q=output.huge:1e400');
      await shown(2);
      await open(`compare?calls=${calls.join()}`);
      await rowsOf('Compared calls')
        .filter({ hasText: /order_id.*107505301260286111.*107505301260286112/ })
        .waitFor();
    });

    test('in exports', async () => {
      await record({ inputs: order, output: order });
      await open('traces');
      const exported = async (format: string) => {
        await page.getByRole('button', { name: 'Export' }).click();
        const item = page.getByRole('menuitem', { name: `As ${format}` });
        const [download] = await Promise.all([page.waitForEvent('download'), item.click()]);
        return download.path();
      };
      const lines = readFileSync(await exported('JSON Lines'), 'utf8');
      for (const name of ['inputs', 'output']) expect(lines).toContain(`"${name}":${json},`);
      expect(readFileSync(await exported('CSV'), 'utf8')).toContain(`"${json.replaceAll('"', '""')}"`);
      const path = await exported('Parquet');
      const folder = mkdtempSync(join(tmpdir(), 'heddle-parquet-'));
      const session = openSession(folder, null);
      try {
        const read = `SELECT inputs, output FROM file('${path}', Parquet)`;
        expect(await session.query(read)).toEqual([{ inputs: json, output: json }]);
      } finally {
        await session.close();
        rmSync(folder, { recursive: true });
      }
    });

    test('in the rows of a dataset that is made from calls and edited', async () => {
      await record({ inputs: { order }, output: order });
      await open('traces');
      await page.getByRole('checkbox', { name: 'Select all rows' }).check();
      await page.getByRole('button', { name: 'Add to dataset' }).click();
      await page.getByRole('dialog').getByLabel('Name of the dataset').fill('orders');
      await page.getByRole('dialog').getByRole('button', { name: 'Add', exact: true }).click();
      await rowsOf('Rows').filter({ hasText: digits.order_id }).waitFor();
      const storedRow = async () => {
        const { json: object } = await web.server.post('/obj/read', {
          ...{ project_id: project, object_id: 'orders', digest: 'latest' },
        });
        const digest = object.obj.val.rows.split('/').at(-1);
        return (await web.server.post('/table/query', { project_id: project, digest })).text;
      };
      expect(await storedRow()).toContain(`"val":{"order":${json},"output":${json},`);

      await page.getByRole('button', { name: 'Edit rows' }).click();
      await rowsOf('Rows').nth(1).click();
      const editor = page.getByLabel('Row as JSON');
      const before = await editor.inputValue();
      for (const text of Object.values(digits)) expect(before).toContain(`: ${text}`);
      await editor.fill(before.replace('"order":', '"purchase":'));
      await page.getByRole('button', { name: 'Publish a new version' }).click();
      await page.getByRole('columnheader', { name: 'purchase' }).waitFor();
      expect(await storedRow()).toContain(`"val":{"purchase":${json},"output":${json},`);
    });
  });

  describe('paths', () => {
    const attributes = { 'uni.workflow.id': 'w-7', 'a "b", c/d': 'odd', tags: [{ 'x.y': 'deep' }] };

    test('of any field are clicked as a filter, a column and an order', async () => {
      const [call] = await record({ attributes }, { attributes: { 'uni.workflow.id': 'w-8' } });
      for (const [name, value] of [
        ['attributes["uni.workflow.id"]', 'w-7'],
        [String.raw`attributes["a \"b\", c/d"]`, 'odd'],
        ['attributes.tags[0]["x.y"]', 'deep'],
      ]) {
        await open(`traces?call=${call}&tab=attributes`);
        if (value === 'deep') await page.getByRole('button', { name: 'Open attributes.tags[0]' }).click();
        await page.getByRole('button', { name: `Actions for ${name}`, exact: true }).click();
        await page.getByRole('menuitem', { name: 'Filter traces by this value' }).click();
        await shown(1);
        expect(await page.getByRole('combobox', { name: 'Filter' }).inputValue()).toBe(`${name}:"${value}"`);
      }
      await open('traces');
      await page.getByRole('button', { name: 'Columns' }).click();
      for (const text of ['uni.workflow.id', 'c/d']) {
        await page
          .getByRole('searchbox', { name: 'Add a column' })
          .fill(`attributes.${text}`.replace('attributes.c/d', 'c/d'));
        await page.getByRole('list', { name: 'Other columns' }).getByRole('button', { name: text }).click();
      }
      await page.keyboard.press('Escape');
      await page.reload();
      await rowsOf('Traces')
        .filter({ hasText: /w-7.*odd/ })
        .waitFor();
      await page.getByRole('columnheader', { name: '["uni.workflow.id"]' }).getByRole('button').click();
      await expect.poll(() => rowsOf('Traces').nth(1).textContent()).toContain('w-8');
      await page.getByRole('button', { name: 'Views' }).click();
      await page.getByRole('menuitem', { name: 'Save as a new view…' }).click();
      await page.getByRole('textbox', { name: 'Name' }).fill('By workflow');
      await page.keyboard.press('Enter');
      await page.getByRole('button', { name: 'By workflow' }).waitFor();
      const view = new URL(page.url()).searchParams.get('view');
      await open(`traces?view=${view}`);
      await rowsOf('Traces')
        .filter({ hasText: /w-7.*odd/ })
        .waitFor();
    });

    test('are typed as they are shown, with and without quotes, and say if no call has them', async () => {
      await record({ attributes, inputs: { 'input.value': 'hi', user: { 'first.name': 'Ada' } } }, {});
      const filter = page.getByRole('combobox', { name: 'Filter' });
      for (const text of [
        'attributes.uni.workflow.id:w-7',
        'attributes["uni.workflow.id"]:w-7',
        'inputs.input.value:hi',
        'inputs.user.first.name~ada',
        'attributes.tags[0].x.y!=deep inputs.input.value:hi',
      ]) {
        await open('traces');
        await shown(2);
        await filter.fill(text);
        await shown(1);
        await page.getByText('No call of this project').waitFor({ state: 'detached' });
      }
      await open('traces?q=inputs.input.valu:hi');
      await page.getByText('No call of this project has the field inputs.input.valu.').waitFor();
      await open('traces?q=inputs.input.value:bye');
      await page.getByText('No calls match').waitFor();
      await page.waitForLoadState('networkidle');
      expect(await page.getByText('No call of this project').count()).toBe(0);
    });

    test('are completed however they are begun', async () => {
      await record({ attributes });
      await open('traces');
      await shown(1);
      const filter = page.getByRole('combobox', { name: 'Filter' });
      await filter.pressSequentially('uni.work');
      await page.getByRole('option', { name: 'attributes["uni.workflow.id"]:' }).click();
      await page.getByRole('option', { name: 'w-7' }).click();
      await shown(1);
    });
  });

  describe('names', () => {
    const odd = 'Größe/C++ "a,b" 100% #1? <b>模型</b> 🎈: *x';

    /** Sends ended spans, which are traces of their own. */
    async function sendSpans(...spans: { name: string; attributes?: Record<string, string> }[]): Promise<void> {
      const hex = (length: number) => crypto.randomUUID().replaceAll('-', '').slice(0, length);
      const attribute = ([key, value]: [string, string]) => ({ key, value: { stringValue: value } });
      const [entity = '', name = ''] = project.split('/');
      const attributes = Object.entries({ 'wandb.entity': entity, 'wandb.project': name }).map(attribute);
      const sent = spans.map((span, index) => ({
        ...{ traceId: hex(32), spanId: hex(16), name: span.name, kind: 1 },
        startTimeUnixNano: `176722560${index}000000000`,
        endTimeUnixNano: `176722560${index}500000000`,
        attributes: Object.entries(span.attributes ?? {}).map(attribute),
      }));
      const body = { resourceSpans: [{ resource: { attributes }, scopeSpans: [{ spans: sent }] }] };
      expect(await web.server.post('/otel/v1/traces', body)).toMatchObject({ status: 200 });
    }

    test('of spans and ops are listed, filtered by and exported', async () => {
      await sendSpans({ name: 'Chat Model' }, { name: 'chat_model' }, { name: odd });
      await record({ op_name: odd }, { op_name: `weave:///${project}/op/${encodeURIComponent('größe 1')}:abc` });
      await open('traces');
      await shown(5);
      for (const [name, count] of [
        ['Chat Model', 1],
        [odd, 2],
        ['größe 1', 1],
      ] as const) {
        await open('traces');
        const cell = rowsOf('Traces')
          .getByRole('cell')
          .filter({ hasText: new RegExp(RegExp.escape(name)) })
          .first();
        await cell.hover();
        await cell.getByRole('button', { name: 'Filter by op_name:' }).click();
        await shown(count);
        await rowsOf('Traces').nth(1).click();
        await page.getByRole('heading', { name, level: 2 }).first().waitFor();
      }
      await rowsOf('Traces').filter({ hasText: 'chat_model' }).waitFor({ state: 'detached' });
    });

    test('of threads and models are shown, linked and filtered by', async () => {
      const summary = { usage: { [odd]: { input_tokens: 1, output_tokens: 1 } } };
      const id = crypto.randomUUID();
      await record({ id, turn_id: id, thread_id: odd, inputs: { model: odd }, summary });
      await open('threads');
      await rowsOf('Threads').filter({ hasText: odd }).click();
      await page.getByRole('heading', { name: odd }).first().waitFor();
      await open('traces?cols=thread,models');
      await rowsOf('Traces').getByRole('cell').filter({ hasText: odd }).first().hover();
      await page.getByRole('button', { name: 'Filter by thread_id:' }).click();
      await shown(1);
    });

    test('of projects are shown and linked', async () => {
      const name = 'Größe #1? 100% a+b 🎈';
      project = `${web.server.entity}/${name}`;
      await record({});
      await page.goto(web.server.url);
      await page.getByRole('link', { name }).click();
      await shown(1);
      await page.reload();
      await shown(1);
      await rowsOf('Traces').nth(1).click();
      await page.getByRole('heading', { name: 'answer', level: 2 }).waitFor();
      await page.getByRole('link', { name: 'Dashboard' }).click();
      await page.getByRole('heading', { name: 'Dashboard' }).waitFor();
      expect(new URL(page.url()).pathname).toContain(encodeURIComponent(name).slice(0, 12));
    });

    test('of objects stay two if they differ only in capitals', async () => {
      const publish = (object_id: string) =>
        web.server.post('/obj/create', { obj: { project_id: project, object_id, val: { of: object_id } } });
      for (const name of ['Größe.模型', 'größe.模型']) expect(await publish(name)).toMatchObject({ status: 200 });
      await open('objects');
      await rowsOf('Objects').filter({ hasText: /größe/ }).click();
      await page.getByRole('heading', { name: 'größe.模型' }).first().waitFor();
      await page.reload();
      await page.getByText('größe.模型').last().waitFor();
      expect(new URL(page.url()).pathname).toContain(encodeURIComponent('größe.模型'));
    });

    test('of models are not made up where none was used', async () => {
      await sendSpans({ name: 'step', attributes: { 'openinference.span.kind': 'CHAIN', 'input.value': 'hi' } });
      await open('traces');
      await rowsOf('Traces').filter({ hasText: 'step' }).click();
      const panel = page.getByRole('complementary', { name: 'Call' });
      await panel.getByText('Duration').waitFor();
      expect(await panel.getByText('Model', { exact: true }).count()).toBe(0);
    });
  });

  test('an address that does not exist says so and leads back', async () => {
    await record({});
    for (const path of ['nothing', 'traces/nothing', '../nothing', '../r/nothing/1']) {
      await open(path);
      await page.getByText('There is no page at this address').waitFor();
      expect(await seriousFaults(page)).toEqual([]);
      await page.getByRole('link', { name: `Go to the traces of ${project}` }).click();
      await shown(1);
    }
    await page.goto(`${web.server.url}/nothing`);
    await page.getByRole('link', { name: 'Go to the projects' }).click();
    await page.getByRole('heading', { name: 'Projects' }).waitFor();
    await open(`calls/${crypto.randomUUID()}`);
    await page.getByText('This call does not exist').waitFor();
    await page.getByRole('link', { name: 'Show all traces' }).click();
    await shown(1);
    for (const [path, way] of [
      ['objects/nothing/versions/latest', 'Show all objects'],
      ['queues/nothing', 'All queues'],
      ['threads?thread=nothing', 'Show all threads'],
      [`playground?call=${crypto.randomUUID()}`, 'Start without it'],
      ['playground?prompt=nothing', 'Start without it'],
    ]) {
      await open(path!);
      await page
        .getByRole('button', { name: way! })
        .or(page.getByRole('link', { name: way! }))
        .first()
        .click();
      await page.waitForURL((url) => !url.href.includes('nothing') && !url.search.includes('call='));
    }
  });
});

/** A number that `JSON.stringify` writes as it is given here. Types of JavaScript do not have it yet. */
function rawJson(text: string): unknown {
  return (JSON as unknown as { rawJSON(text: string): unknown }).rawJSON(text);
}
