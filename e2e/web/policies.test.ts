import { describe, expect, test } from 'vitest';
import { seeded } from '../../testing/seeded.ts';
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

  test('shows which arm of a best-arm policy is best, its shares over time, and arms that miss feedback', async () => {
    const { server, project, page, open } = web;
    const path = `/v2/${project}/policies`;
    const means = { now: 0.35, next: 0.75, other: 0.3 };
    const names = Object.keys(means) as (keyof typeof means)[];
    const plan = (shares: Record<string, number>) => ({
      variants: names.map((name) => ({ name, model: 'heddle/tiny' })),
      incumbent: 'now',
      traffic: { kind: 'best_arm', scorer: 'liked.value', least: 0.1, shares },
      scorers: [{ reward: 'liked.value', window_seconds: 1 }],
    });
    await server.post(path, { name: 'bot', reason: 'which is best?', ...plan({ now: 0.4, next: 0.3, other: 0.3 }) });
    const model = `policy:///${project}/bot`;
    await server.post('/v1/chat/completions', { model, messages: [{ role: 'user', content: 'Hi' }], max_tokens: 1 });
    let assignment: Record<string, unknown> = {};
    await expect
      .poll(async () => {
        const calls = (await server.post('/calls/stream_query', { project_id: project })).lines;
        assignment = calls[0]?.attributes.heddle.assignment ?? {};
        return assignment.policy_id;
      })
      .toEqual(expect.any(String));

    const random = seeded(1);
    const shares = [0.4, 0.3, 0.3];
    const [calls, feedback]: [object[], object[]] = [[], []];
    const endsAt = Date.now() + 8000; // so that feedback is sent before windows close
    for (let i = 0; i < 1500; i++) {
      const place = random();
      const variant = names[place < shares[0]! ? 0 : place < shares[0]! + shares[1]! ? 1 : 2]!;
      const id = crypto.randomUUID();
      const attributes = { heddle: { assignment: { ...assignment, variant, unit: 'request', unit_id: id } } };
      const at = new Date(endsAt + i).toISOString();
      const call = { project_id: project, id, trace_id: id, op_name: 'chat', started_at: at, ended_at: at, attributes };
      calls.push({ ...call, inputs: {}, output: '', summary: {} });
      if (variant === 'other' && random() < 0.3) continue;
      const value = Number(random() < means[variant]);
      const target = { project_id: project, weave_ref: `weave:///${project}/call/${id}` };
      feedback.push({ ...target, feedback_type: 'liked', payload: { value } });
    }
    expect((await server.post(`/v2/${project}/calls/complete`, { batch: calls })).text).toBe('{}');
    for (let from = 0; from < feedback.length; from += 500) {
      const batch = feedback.slice(from, from + 500);
      expect((await server.post('/feedback/batch/create', { batch })).status).toBe(200);
    }
    for (const next of [0.4, 0.55, 0.7]) {
      const rest = (1 - next) / 2;
      const made = await server.post(`${path}/bot/versions`, plan({ now: rest, next, other: rest }));
      expect(made.status, made.text).toBe(200);
    }
    await open('policies');
    const arms = page.getByRole('table', { name: 'Arms' });
    await arms.getByText('winner').waitFor({ timeout: 60_000 });
    expect(await arms.getByRole('row').nth(2).textContent()).toMatch(/^next winner/);
    expect(await arms.getByRole('row').nth(3).textContent()).toMatch(/other.*\(\d+ %\)/);
    await page
      .getByRole('figure', { name: /^Mean of liked\.value: now 0\.\d+ \(0\.\d+ to 0\.\d+\), next 0\.7/ })
      .waitFor();
    await page.getByRole('figure', { name: /^Share of traffic: .*next from 30 % to 70 %/ }).waitFor();
    expect(await seriousFaults(page)).toEqual([]);
    const folder = process.env.HEDDLE_SCREENSHOTS;
    if (!folder) return;
    for (const colorScheme of ['dark', 'light'] as const) {
      await page.emulateMedia({ colorScheme });
      await page.screenshot({ path: `${folder}/best-arm-${colorScheme}.png`, fullPage: true });
    }
    await page.setViewportSize({ width: 390, height: 844 });
    await page.waitForTimeout(500);
    await page.screenshot({ path: `${folder}/best-arm-phone.png`, fullPage: true });
  });
});
