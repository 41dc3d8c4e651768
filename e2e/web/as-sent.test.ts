import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { beforeEach, describe, expect, test } from 'vitest';
import { openSession } from '../../src/store/clickhouse/chdb/session.ts';
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
    await web.server.post(`/v2/${project}/calls/complete`, { batch });
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
});

/** A number that `JSON.stringify` writes as it is given here. Types of JavaScript do not have it yet. */
function rawJson(text: string): unknown {
  return (JSON as unknown as { rawJSON(text: string): unknown }).rawJSON(text);
}
