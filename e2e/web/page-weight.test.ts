import { statSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { beforeEach, describe, expect, test } from 'vitest';
import { builtPage } from '../../src/http/page/page.ts';
import { browserPath } from './browser.ts';
import { browserForFile } from './browser-for-file.ts';

const bytesMax = 250_000;

/** Needs a browser: `apt-get install chromium`. */
describe.skipIf(browserPath === null)('the JavaScript that a page loads by itself', () => {
  const web = browserForFile();
  const finished = {
    ...{ op_name: 'greet', attributes: {}, summary: {}, inputs: { name: 'Ada' } },
    ...{ output: 'Hello, Ada', started_at: '2026-01-01T00:00:00Z', ended_at: '2026-01-01T00:00:01Z' },
  };
  let id: string;
  beforeEach(async () => {
    id = crypto.randomUUID();
    const call = { ...finished, project_id: web.project, id, trace_id: crypto.randomUUID() };
    await web.server.post(`/v2/${web.project}/calls/complete`, { batch: [call] });
  });

  test.each<[name: string, path: (project: string, id: string) => string, isThere: (page: Page) => Promise<unknown>]>([
    ['the projects', () => '/', (page) => page.getByRole('heading', { name: 'Projects' }).waitFor()],
    [
      'the traces',
      (project) => `/${project}/weave/traces`,
      async (page) => {
        await page.getByRole('row').filter({ hasText: 'greet' }).waitFor();
        await page.getByRole('figure', { name: 'Traces: 1' }).waitFor();
      },
    ],
    [
      'a call',
      (project, id) => `/${project}/r/call/${id}`,
      (page) => page.getByRole('heading', { name: 'greet', level: 2 }).waitFor(),
    ],
  ])('is less than 250 KB with gzip: %s', async (_, path, isThere) => {
    const { page, server, project } = web;
    await page.goto(server.url + path(project, id));
    await isThere(page);
    await page.waitForLoadState('networkidle');
    const scripts = await page.evaluate(() =>
      performance
        .getEntriesByType('resource')
        .map(({ name }) => new URL(name).pathname)
        .filter((name) => name.endsWith('.js')),
    );
    const sizes = [...new Set(scripts)].map((script) => statSync(join(builtPage, `${script}.gz`)).size);
    expect(sizes.length).toBeGreaterThan(1);
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThan(bytesMax);
  });
});
