import { describe, expect, test } from 'vitest';
import { seriousFaults } from './accessibility.ts';
import { browserPath } from './browser.ts';
import { browserForFile } from './browser-for-file.ts';

/** Needs a browser: `apt-get install chromium`. */
describe.skipIf(browserPath === null)('the page of policies', () => {
  const web = browserForFile();

  test('shows a policy with its versions and outcomes, and undoes its latest version', async () => {
    const { server, project, page, open } = web;
    await open('policies');
    await page.getByText('No policies yet').waitFor();
    const plan = (stage: number) => ({
      variants: ['now', 'next'].map((name) => ({ name, model: 'heddle/tiny' })),
      incumbent: 'now',
      traffic: { kind: 'stages', candidate: 'next', stages: [0.1, 0.5, 1], stage },
      scorers: [{ reward: 'liked', window_seconds: 1, missing: 'zero' }],
    });
    const path = `/v2/${project}/policies`;
    const made = await server.post(path, { name: 'bot', reason: 'first try', ...plan(1) });
    expect(made.status).toBe(200);
    await server.post(`${path}/bot/versions`, { reason: 'looks good', ...plan(2) });
    for (let i = 0; i < 12; i++) {
      const messages = [{ role: 'user', content: 'Hi' }];
      await server.post('/v1/chat/completions', { model: `policy:///${project}/bot`, messages, max_tokens: 1 });
    }
    await open('policies');
    const versions = page.getByRole('table', { name: 'Versions' });
    await versions.getByText('looks good').waitFor();
    await versions.getByText('now 90 % · next 10 %').waitFor();
    const outcomes = page.getByRole('table', { name: 'Outcomes' });
    await expect
      .poll(
        async () => {
          const cells = await outcomes.getByRole('row').locator('td:nth-child(4)').allTextContents();
          return cells.reduce((sum, each) => sum + Number(each), 0);
        },
        { timeout: 40_000 },
      )
      .toBe(12);
    expect(await seriousFaults(page)).toEqual([]);
    if (process.env.HEDDLE_SCREENSHOT) await page.screenshot({ path: process.env.HEDDLE_SCREENSHOT, fullPage: true });
    await page.getByRole('button', { name: 'Undo version 2' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Undo' }).click();
    await versions.getByText('equal to version 1').waitFor();
  });
});
