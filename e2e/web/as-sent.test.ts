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

  /** The file that the page exports in a format. */
  async function exported(format: string): Promise<string> {
    await page.getByRole('button', { name: 'Export' }).click();
    const item = page.getByRole('menuitem', { name: `As ${format}` });
    const [download] = await Promise.all([page.waitForEvent('download'), item.click()]);
    return download.path();
  }

  async function inParquet(path: string): Promise<unknown> {
    const folder = mkdtempSync(join(tmpdir(), 'heddle-parquet-'));
    const session = openSession(folder, null);
    try {
      return await session.query(`SELECT inputs, output FROM file('${path}', Parquet)`);
    } finally {
      await session.close();
      rmSync(folder, { recursive: true });
    }
  }

  /** Adds all traces to a new dataset, as the page proposes it. */
  async function addAllTo(dataset: string): Promise<void> {
    await open('traces');
    await page.getByRole('checkbox', { name: 'Select all rows' }).check();
    await page.getByRole('button', { name: 'Add to dataset' }).click();
    await page.getByRole('dialog').getByLabel('Name of the dataset').fill(dataset);
    await page.getByRole('dialog').getByRole('button', { name: 'Add', exact: true }).click();
    await rowsOf('Rows').nth(1).waitFor();
  }

  /** The rows of the latest version of a dataset, as the server answers them. */
  async function storedRows(object_id: string): Promise<string> {
    const { json: object } = await web.server.post('/obj/read', { project_id: project, object_id, digest: 'latest' });
    const digest = object.obj.val.rows.split('/').at(-1);
    return (await web.server.post('/table/query', { project_id: project, digest })).text;
  }

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
      const lines = readFileSync(await exported('JSON Lines'), 'utf8');
      for (const name of ['inputs', 'output']) expect(lines).toContain(`"${name}":${json},`);
      expect(readFileSync(await exported('CSV'), 'utf8')).toContain(`"${json.replaceAll('"', '""')}"`);
      expect(await inParquet(await exported('Parquet'))).toEqual([{ inputs: json, output: json }]);
    });

    test('in the rows of a dataset that is made from calls and edited', async () => {
      await record({ inputs: { order }, output: order });
      await addAllTo('orders');
      await rowsOf('Rows').filter({ hasText: digits.order_id }).waitFor();
      expect(await storedRows('orders')).toContain(`"val":{"order":${json},"output":${json},`);

      await page.getByRole('button', { name: 'Edit rows' }).click();
      await rowsOf('Rows').nth(1).click();
      const editor = page.getByLabel('Row as JSON');
      const before = await editor.inputValue();
      for (const text of Object.values(digits)) expect(before).toContain(`: ${text}`);
      await editor.fill(before.replace('"order":', '"purchase":'));
      await page.getByRole('button', { name: 'Publish a new version' }).click();
      await page.getByRole('columnheader', { name: 'purchase' }).waitFor();
      expect(await storedRows('orders')).toContain(`"val":{"purchase":${json},"output":${json},`);
    });
  });

  describe('keys', () => {
    /** JavaScript lists integers first, and objects inherit `constructor` and `__proto__`. */
    const keys = ['b', '10', '2', '__proto__', 'constructor', '0'];
    const json = '{"b":1,"10":{"9":"x","1":1.0},"2":3,"__proto__":{"4":1,"3":2},"constructor":5,"0":6}';

    /** Records a call whose payloads are this JSON. */
    async function recordJson(call: { inputs: string; output: string }): Promise<void> {
      const [entity, name] = project.split('/').map(encodeURIComponent);
      const fields = {
        ...{ project_id: project, id: crypto.randomUUID(), trace_id: crypto.randomUUID(), op_name: 'answer' },
        ...{ started_at: '2026-01-01T00:00:00Z', ended_at: '2026-01-01T00:00:01Z', attributes: {}, summary: {} },
      };
      const body = `{"batch":[{"inputs":${call.inputs},"output":${call.output},${JSON.stringify(fields).slice(1)}]}`;
      const response = await fetch(`${web.server.url}/v2/${entity}/${name}/calls/complete`, {
        method: 'POST',
        headers: { authorization: `Bearer ${web.server.key}`, 'content-type': 'application/json' },
        body,
      });
      expect(response.status).toBe(200);
    }

    test('keep their order in a call, in what is copied, and in exports', async () => {
      await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
      await recordJson({ inputs: json, output: json });
      await open('traces');
      await rowsOf('Traces').nth(1).click();
      await page.getByRole('tab', { name: 'Data' }).click();
      const output = page.getByRole('tree', { name: 'Output' });
      await output.waitFor();
      const shownKeys = await output.locator('[class*=key]').allTextContents();
      const wanted = ['b', '10', '9', '1', '2', '__proto__', '4', '3', 'constructor', '0'];
      expect(shownKeys).toEqual(wanted.map((key) => `${key}:`));
      await page.getByRole('button', { name: 'Copy Output' }).click();
      const copied = () => page.evaluate(() => navigator.clipboard.readText());
      await expect.poll(async () => (await copied()).replaceAll(/\s/g, '')).toBe(json);
      await open('traces');
      const lines = readFileSync(await exported('JSON Lines'), 'utf8');
      for (const name of ['inputs', 'output']) expect(lines).toContain(`"${name}":${json},`);
      expect(readFileSync(await exported('CSV'), 'utf8')).toContain(`"${json.replaceAll('"', '""')}"`);
      expect(await inParquet(await exported('Parquet'))).toEqual([{ inputs: json, output: json }]);
    });

    test('keep their order in rows that are made from calls, edited and added', async () => {
      await recordJson({ inputs: json, output: json });
      await addAllTo('ordered');
      const row = `${json.slice(0, -1)},"output":${json},"source_call":`;
      expect(await storedRows('ordered')).toContain(`"val":${row}`);
      const columns = page.getByRole('table', { name: 'Rows' }).getByRole('columnheader');
      expect(await columns.allTextContents()).toEqual(['#', ...keys, 'output', 'source_call']);

      await page.getByRole('button', { name: 'Edit rows' }).click();
      await rowsOf('Rows').nth(1).click();
      const editor = page.getByLabel('Row as JSON');
      const before = await editor.inputValue();
      await editor.fill(before.replace('"b": 1', '"b": 7'));
      await page.getByRole('button', { name: 'Add a row' }).click();
      await editor.fill('{"z":1,"3":2,"1":"NaN"}');
      await page.getByRole('button', { name: 'Publish a new version' }).click();
      await page.getByText('2 rows').waitFor();
      const stored = await storedRows('ordered');
      expect(stored).toContain(`"val":${row.replace('"b":1', '"b":7')}`);
      expect(stored).toContain('"val":{"z":1,"3":2,"1":"NaN"}');
      // A row without a column that all objects inherit has nothing there.
      await rowsOf('Rows').filter({ hasText: 'NaN' }).or(rowsOf('Rows').nth(2)).last().waitFor();
      expect(await page.getByRole('table', { name: 'Rows' }).getByText('native code').count()).toBe(0);
    });
  });

  describe('NaN and infinite numbers', () => {
    /** As Python's `json.dumps` writes them, which is not JSON. */
    const body = (project_id: string) =>
      `{"batch":[{"project_id":"${project_id}","id":"${crypto.randomUUID()}","trace_id":"${crypto.randomUUID()}",` +
      `"op_name":"measure","started_at":"2026-01-01T00:01:00Z","ended_at":"2026-01-01T00:01:01Z","attributes":{},` +
      `"summary":{},"inputs":{"loss":NaN,"nothing":null},"output":{"loss":NaN,"most":Infinity,"least":-Infinity}}]}`;
    const written = '{"loss":"NaN","most":"Infinity","least":"-Infinity"}';

    test('are told from null in a call, the list, exports and rows', async () => {
      const [entity, name] = project.split('/').map(encodeURIComponent);
      const response = await fetch(`${web.server.url}/v2/${entity}/${name}/calls/complete`, {
        method: 'POST',
        headers: { authorization: `Bearer ${web.server.key}`, 'content-type': 'application/json' },
        body: body(project),
      });
      expect(response.status).toBe(200);
      await sendSpans({ name: 'span', attributes: { 'input.value': 'x', 'output.value': '{"loss": NaN}' } });
      await open('traces?cols=name,inputs.loss,inputs.nothing,output.most,output.least');
      await rowsOf('Traces')
        .filter({ hasText: /measure.*NaN.*Infinity.*-Infinity/ })
        .click();
      await page.getByRole('tab', { name: 'Data' }).click();
      const leaf = (tree: string, text: string) =>
        page.getByRole('tree', { name: tree }).getByRole('treeitem').filter({ hasText: text }).last().waitFor();
      for (const text of ['loss:NaN', 'most:Infinity', 'least:-Infinity']) await leaf('Output', text);
      await leaf('Inputs', 'nothing:null');
      await page.getByRole('button', { name: 'Actions for output.least' }).click();
      await page.getByRole('menuitem', { name: 'Filter traces by this value' }).click();
      await shown(1);
      expect(await page.getByRole('combobox', { name: 'Filter' }).inputValue()).toBe('output.least:"-Infinity"');
      await open('traces');
      await shown(2);
      await rowsOf('Traces').filter({ hasText: 'span' }).getByText('NaN').waitFor();
      expect(readFileSync(await exported('JSON Lines'), 'utf8')).toContain(`"output":${written},`);
      expect(readFileSync(await exported('CSV'), 'utf8')).toContain(`"${written.replaceAll('"', '""')}"`);
      expect(await inParquet(await exported('Parquet'))).toContainEqual({
        ...{ inputs: '{"loss":"NaN","nothing":null}', output: written },
      });
      await addAllTo('measured');
      expect(await storedRows('measured')).toContain(
        `"loss":"NaN","nothing":null,"input.value":null,"output":${written},`,
      );
      await rowsOf('Rows').filter({ hasText: 'NaN' }).first().click();
      await leaf('Row', 'loss:NaN');
    });
  });

  test('texts that look like other values are told from them, also by a comparison', async () => {
    const calls = await record(
      { inputs: { id: '107', flag: 'true', nothing: 'null', empty: '', padded: ' x' }, output: '1.50' },
      { inputs: { id: 107, flag: true, nothing: null, empty: null, padded: 'x' }, output: rawJson('1.50') },
    );
    const written: [string, string[]][] = [
      [calls[0]!, ['id:"107"', 'flag:"true"', 'nothing:"null"', 'empty:""', 'padded:" x"']],
      [calls[1]!, ['id:107', 'flag:true', 'nothing:null', 'empty:null', 'padded:x']],
    ];
    for (const [call, texts] of written) {
      await open(`traces?call=${call}`);
      const leaves = page.getByRole('tree', { name: 'Inputs' }).getByRole('treeitem');
      for (const text of texts) await leaves.filter({ hasText: text }).last().waitFor();
    }
    await open(`compare?calls=${calls}`);
    const rows = rowsOf('Compared calls');
    for (const name of ['id', 'flag', 'nothing', 'empty', 'padded', 'value']) {
      await rows.filter({ has: page.getByRole('rowheader', { name: `Different ${name}`, exact: true }) }).waitFor();
    }
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

    test('of aliases, tags, keys, queues and views are shown, linked and removed', async () => {
      const label = `ü/ß ☃ a%2Fb "q" 'x' <b>.. 🎈 #1?&=+`;
      await web.server.post('/obj/create', { obj: { project_id: project, object_id: 'thing', val: { a: 1 } } });
      await open('objects/thing/versions/latest');
      const labels = page.getByRole('region', { name: 'Aliases and tags' });
      // Addresses of versions have places for aliases, so they contain no slashes and colons; tags are words.
      const alias = label.replaceAll(/[/:]/g, '-');
      for (const [kind, texts] of [
        ['Alias', [alias, alias.toUpperCase()]],
        ['Tag', ['Größe 1', 'größe 1']],
      ] as const) {
        for (const text of texts) {
          await page.getByRole('button', { name: `Add ${kind.toLowerCase()}` }).click();
          await page.getByRole('textbox', { name: kind }).fill(text);
          await page.keyboard.press('Enter');
          await labels.getByRole('button', { name: `Remove the ${kind.toLowerCase()} ${text}`, exact: true }).waitFor();
        }
      }
      await open(`objects/thing/versions/${encodeURIComponent(alias)}`);
      const removing = (name: string) => labels.getByRole('button', { name: `Remove the ${name}`, exact: true });
      await removing('tag Größe 1').click();
      await removing('tag Größe 1').waitFor({ state: 'detached' });
      await removing(`alias ${alias}`).click();
      await page.getByText('This version does not exist').waitFor();
      await open('objects/thing/versions/latest');
      await removing(`alias ${alias.toUpperCase()}`).waitFor();
      await removing('tag größe 1').waitFor();

      // Keys have names of environment variables.
      await open('settings?tab=providers');
      for (const text of ['Key_a.b-1', 'KEY_a.b-1']) {
        await page.getByRole('button', { name: 'Set provider key' }).first().click();
        const dialog = page.getByRole('dialog');
        await dialog.getByRole('textbox', { name: 'Name' }).fill(text);
        await dialog.getByLabel('Value').fill('secret');
        await dialog.getByRole('button', { name: 'Set', exact: true }).click();
        await page.getByRole('cell', { name: text, exact: true }).waitFor();
      }

      for (const name of [label, label.toUpperCase()]) {
        const made = await web.server.post('/annotation_queues', { project_id: project, name, scorer_refs: [] });
        expect(made.status).toBe(200);
      }
      await open('queues');
      await page.getByText(label, { exact: true }).click();
      await page.getByRole('heading', { name: label, exact: true }).waitFor();

      await record({});
      for (const text of [label, label.toUpperCase(), '模型', '図']) {
        await open('traces?q=op_name:answer');
        await page.getByRole('button', { name: 'Views' }).click();
        await page.getByRole('menuitem', { name: 'Save as a new view…' }).click();
        await page.getByRole('textbox', { name: 'Name' }).fill(text);
        await page.keyboard.press('Enter');
        await page.getByRole('button', { name: text, exact: true }).waitFor();
        await page.reload();
        await page.getByRole('button', { name: text, exact: true }).waitFor();
      }
      await page.getByRole('button', { name: '図' }).click();
      for (const text of [label, label.toUpperCase(), '模型']) {
        await page.getByRole('menuitem', { name: text, exact: true }).waitFor();
      }
    });

    test('of scorers and models stay two in results and on the dashboard, and find their calls', async () => {
      const op = (name: string) => `weave:///${project}/op/${name}:${'0'.repeat(43)}`;
      const [root, trial, trace_id] = [crypto.randomUUID(), crypto.randomUUID(), crypto.randomUUID()];
      const scores = { 'a.b': true, a: { b: false }, [odd]: { 'x/y "z"': 0.25 }, constructor: true };
      const models = ['m "q" \\ ☃', 'M "q" \\ ☃', 'a/b:c'];
      const time = new Date().toISOString();
      await record(
        { op_name: op('Evaluation.evaluate'), id: root, trace_id, inputs: { self: 'quiz', model: odd } },
        {
          ...{ op_name: op('Evaluation.predict_and_score'), parent_id: root, id: trial, trace_id },
          ...{ inputs: { example: { q: 'Why?' } }, output: { output: 'So.', scores } },
        },
        ...models.map((model) => ({
          ...{ op_name: 'chat', started_at: time, ended_at: time },
          summary: { usage: { [model]: { input_tokens: 1, output_tokens: 1 } } },
        })),
      );
      await open(`evaluations/results?runs=${root}`);
      const row = rowsOf('Scores by run');
      for (const [title, value] of [
        ['a.b', '100 %'],
        ['a › b', '0 %'],
        [`${odd}.x/y "z"`, '0.25'],
        ['constructor', '100 %'],
      ]) {
        await row
          .filter({ has: page.getByRole('rowheader', { name: title!, exact: true }) })
          .getByText(value!, { exact: true })
          .waitFor();
      }
      await page.getByRole('combobox', { name: 'Rows' }).selectOption({ label: 'a › b is false' });
      await page.getByText('1 of 1 rows').waitFor();
      await page.getByRole('combobox', { name: 'Rows' }).selectOption({ label: 'a.b is false' });
      await page.getByText('0 of 1 rows').waitFor();

      for (const model of models) {
        await open('dashboard?by=model');
        await page.getByRole('link', { name: model, exact: true }).click();
        await shown(1);
      }
    });

    test('of datasets are shown as they were sent beside the names of their objects', async () => {
      for (const [name, rows] of [
        ['Größe & Co ☃', [{ a: 1 }]],
        ['größe-2', [{ a: 2 }]],
      ] as const) {
        const made = await web.server.post(`/v2/${project}/datasets`, { name, rows });
        expect(made.status).toBe(200);
        await open(`objects/${encodeURIComponent(made.json.object_id)}/versions/latest`);
        await page.getByRole('heading', { name: made.json.object_id }).waitFor();
        await page.getByText(name, { exact: true }).first().waitFor();
      }
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
