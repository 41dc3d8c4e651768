import { readFileSync } from 'node:fs';
import type { Page } from 'playwright-core';
import { beforeEach, describe, expect, test } from 'vitest';
import { seriousFaults } from './accessibility.ts';
import { browserPath } from './browser.ts';
import { browserForFile } from './browser-for-file.ts';

/** Needs a browser: `apt-get install chromium`. */
describe.skipIf(browserPath === null)('the settings page', () => {
  const web = browserForFile();
  let page: Page;
  let project: string;
  beforeEach(() => {
    ({ page, project } = web);
  });

  const open = (tab: string) => web.open(`settings?tab=${tab}`);
  const dialog = () => page.getByRole('dialog');
  const row = (table: string, text: string) =>
    page.getByRole('table', { name: table }).getByRole('row').filter({ hasText: text });

  test('a member is added with a key that is shown once, and loses both', async () => {
    await open('members');
    await page.getByRole('button', { name: 'Add member' }).click();
    await dialog().getByLabel('User name').fill('a/b');
    await dialog().getByRole('button', { name: 'Add' }).click();
    await dialog().getByRole('alert').getByText('must not contain "/"').waitFor();
    await dialog().getByLabel('User name').fill('newcomer');
    await dialog().getByRole('button', { name: 'Add' }).click();
    await row('Members', 'newcomer').waitFor();
    expect(await seriousFaults(page)).toEqual([]);

    await page.getByRole('tab', { name: 'API keys' }).click();
    await page.getByRole('button', { name: 'Create key' }).click();
    await dialog().getByLabel('Name').fill('laptop');
    await dialog().getByLabel('User').selectOption('newcomer');
    await dialog().getByRole('button', { name: 'Create' }).click();
    const key = (await dialog().getByRole('figure', { name: 'API key' }).getByRole('code').textContent()) ?? '';
    expect(await seriousFaults(page)).toEqual([]);
    await dialog().getByRole('button', { name: 'Done' }).click();
    expect(await page.content()).not.toContain(key);

    const theirs = await web.browser.newContext();
    const own = await theirs.newPage();
    await own.goto(`${web.server.url}/settings`);
    await own.getByLabel('API key').fill(key);
    await own.getByRole('button', { name: 'Sign in' }).click();
    await own.getByRole('table', { name: 'API keys' }).getByText('laptop').waitFor();
    expect(await own.getByRole('tab', { name: 'Server' }).count()).toBe(0);

    await page.getByRole('button', { name: 'Revoke the key laptop' }).click();
    await dialog().getByRole('button', { name: 'Revoke' }).click();
    await row('API keys', 'laptop').getByText('revoked').waitFor();
    await own.reload();
    await own.getByLabel('API key').waitFor();
    await theirs.close();

    await page.getByRole('tab', { name: 'Members' }).click();
    await page.getByRole('button', { name: 'Remove newcomer' }).click();
    await dialog().getByRole('button', { name: 'Remove' }).click();
    await row('Members', 'newcomer').waitFor({ state: 'detached' });
  });

  test("a provider's key is set, never shown again, and removed", async () => {
    await open('providers');
    await page.getByText('No provider keys yet').waitFor();
    await page.getByRole('button', { name: 'Set provider key' }).click();
    await dialog().getByLabel('Name').fill('not a name');
    await dialog().getByLabel('Value').fill('sk-never-shown');
    await dialog().getByRole('button', { name: 'Set' }).click();
    await dialog().getByRole('alert').getByText('such as OPENAI_API_KEY').waitFor();
    await dialog().getByLabel('Name').fill('OPENAI_API_KEY');
    await dialog().getByRole('button', { name: 'Set' }).click();
    await row('Provider keys', 'OPENAI_API_KEY').getByText('api.openai.com').waitFor();
    await page.reload();
    await row('Provider keys', 'OPENAI_API_KEY').waitFor();
    expect(await page.content()).not.toContain('sk-never-shown');
    await page.getByRole('button', { name: 'Remove OPENAI_API_KEY' }).click();
    await dialog().getByRole('button', { name: 'Remove' }).click();
    await page.getByText('No provider keys yet').waitFor();
  });

  test('the dashboard names a model without a price, and a price that is set there counts', async () => {
    const now = new Date();
    const times = { started_at: now.toISOString(), ended_at: now.toISOString() };
    const summary = { usage: { 'llama-of-ours': { prompt_tokens: 1_000_000, completion_tokens: 0 } } };
    const ids = {
      id: '00000000-0000-7000-8000-0000000000c1',
      trace_id: '00000000-0000-7000-8000-0000000000c2',
      project_id: project,
    };
    const batch = [{ ...ids, ...times, op_name: 'ask', attributes: {}, inputs: {}, output: null, summary }];
    expect((await web.server.post(`/v2/${project}/calls/complete`, { batch })).status).toBe(200);
    await web.open('traces');
    await page.getByText('no price').first().waitFor();
    await web.open('dashboard');
    await page.getByText('no price').first().waitFor();
    await page.getByRole('link', { name: 'Set a price for llama-of-ours' }).click();
    expect(await dialog().getByLabel('Model').inputValue()).toBe('llama-of-ours');
    await dialog().getByLabel('Input tokens').fill('3');
    await dialog().getByLabel('Output tokens').fill('9');
    await dialog().getByRole('button', { name: 'Add' }).click();
    await row('Prices', 'llama-of-ours').waitFor();
    await web.open('traces');
    await page.getByText('$3.00').first().waitFor();
  });

  /** Finished calls of a trace, each a second after the one before. */
  const record = async (calls: { op_name: string; parent_id: string | null; [field: string]: unknown }[]) => {
    const trace_id = crypto.randomUUID();
    const batch = calls.map((call, i) => {
      const time = new Date(Date.now() - 60_000 + i * 1000).toISOString();
      const whole = { project_id: project, trace_id, id: crypto.randomUUID(), started_at: time, ended_at: time };
      return { ...whole, attributes: {}, inputs: {}, output: null, summary: {}, ...call };
    });
    expect((await web.server.post(`/v2/${project}/calls/complete`, { batch })).text).toBe('{}');
    return batch.map(({ id }) => id);
  };
  const usageOf = (model: string) => ({ usage: { [model]: { prompt_tokens: 1_000_000, completion_tokens: 0 } } });

  test('a trace without a root shows what all of its calls cost, at least', async () => {
    const [first] = await record([
      { op_name: 'first', parent_id: crypto.randomUUID() },
      { op_name: 'priced', parent_id: crypto.randomUUID(), summary: usageOf('gpt-4o') },
      { op_name: 'unpriced', parent_id: crypto.randomUUID(), summary: usageOf('llama-of-ours') },
    ]);
    await web.open(`calls/${first}`);
    const fact = (name: string) => page.getByRole('term').filter({ hasText: name }).locator('..');
    await fact('Cost of the trace').getByText('at least $2.50').waitFor();
    await fact('Cost of the trace').getByTitle('No price is known for llama-of-ours').waitFor();
    await fact('Cost of the trace').getByRole('link', { name: 'Set a price for llama-of-ours' }).waitFor();
    await fact('Tokens of the trace').getByText('2,000,000 → 0').waitFor();
    expect(await seriousFaults(page)).toEqual([]);
    await page.getByRole('treeitem').filter({ hasText: 'priced' }).first().click();
    await fact('Cost').getByText('$2.50', { exact: true }).waitFor();
    expect(await page.getByText('of the trace').count()).toBe(0);
  });

  /** What an exported file says of costs: the name of each call, the cost, and whether it is at least that, or an estimate. */
  async function exportedCosts(): Promise<(string | undefined)[][]> {
    await page.getByRole('button', { name: 'Export' }).click();
    const item = page.getByRole('menuitem', { name: 'As CSV' });
    const [download] = await Promise.all([page.waitForEvent('download'), item.click()]);
    const lines = readFileSync(await download.path(), 'utf8')
      .trim()
      .split('\n');
    const columns = lines[0]!.split(',');
    return lines.slice(1).map((line) => {
      const values = line.split(',');
      return ['name', 'cost_usd', 'cost_is_at_least', 'cost_is_estimate'].map((name) => values[columns.indexOf(name)]);
    });
  }

  test('the list of traces shows what the calls below a span without tokens used', async () => {
    const hex = (length: number) => crypto.randomUUID().replaceAll('-', '').slice(0, length);
    const [traceId, rootId] = [hex(32), hex(16)];
    const [entity = '', name = ''] = project.split('/');
    const attributes = (values: Record<string, string | number>) =>
      Object.entries(values).map(([key, value]) => ({
        ...{ key, value: typeof value === 'number' ? { intValue: value } : { stringValue: value } },
      }));
    const span = (more: object, values: Record<string, string | number>) => ({
      ...{ traceId, kind: 1, startTimeUnixNano: '1767225600000000000', endTimeUnixNano: '1767225601000000000' },
      ...{ ...more, attributes: attributes(values) },
    });
    const chat = (model: string) =>
      span(
        { spanId: hex(16), parentSpanId: rootId, name: 'chat' },
        { 'gen_ai.operation.name': 'chat', 'gen_ai.request.model': model, 'gen_ai.usage.input_tokens': 1_000_000 },
      );
    const spans = [
      span({ spanId: rootId, name: 'agent' }, { 'gen_ai.operation.name': 'invoke_agent' }),
      ...[chat('gpt-4o'), chat('gpt-4o'), chat('llama-of-ours')],
    ];
    const resource = { attributes: attributes({ 'wandb.entity': entity, 'wandb.project': name }) };
    const body = { resourceSpans: [{ resource, scopeSpans: [{ spans }] }] };
    expect(await web.server.post('/otel/v1/traces', body)).toMatchObject({ status: 200 });
    await web.open('traces');
    const row = page.getByRole('table', { name: 'Traces' }).getByRole('row').filter({ hasText: 'agent' });
    await row.getByText('3,000,000').waitFor();
    await row.getByText('at least $5.00').waitFor();
    expect((await exportedCosts()).filter(([span]) => span === 'agent')).toEqual([['agent', '5', 'true', 'false']]);
    await page.getByRole('figure', { name: /^Cost: at least \$5/ }).waitFor();
    await row.click();
    await page.getByRole('treeitem').last().click();
    await page.getByRole('tab', { name: 'Span' }).waitFor();
    const scrolled = await page.getByRole('tablist').evaluate((list) => list.scrollLeft);
    expect(scrolled).toBe(0); // the first tab is selected
  });

  test('exports say whether a cost is exact', async () => {
    await record([{ op_name: 'free', parent_id: null }]);
    await record([{ op_name: 'priced', parent_id: null, summary: usageOf('gpt-4o') }]);
    await record([{ op_name: 'unpriced', parent_id: null, summary: usageOf('llama-of-ours') }]);
    const atAnotherTier = { output: { service_tier: 'flex' }, summary: usageOf('gpt-4o') };
    await record([{ op_name: 'cheaper', parent_id: null, ...atAnotherTier }]);
    await web.open('traces');
    await page.getByText('about $2.50').first().waitFor();
    await page.getByTitle('Less may have been paid: the price of the service tier').first().waitFor();
    expect((await exportedCosts()).sort()).toEqual([
      ['cheaper', '2.5', 'false', 'true'],
      ['free', '', 'false', 'false'],
      ['priced', '2.5', 'false', 'false'],
      ['unpriced', '', 'true', 'false'],
    ]);
  });

  test('the results of an evaluation name a model without a price', async () => {
    const op = (name: string) => `weave:///${project}/op/${name}:${'0'.repeat(43)}`;
    const [root, trial] = [crypto.randomUUID(), crypto.randomUUID()];
    await record([
      { op_name: op('Evaluation.evaluate'), parent_id: null, id: root, inputs: { self: 'quiz', model: 'ours' } },
      {
        ...{ op_name: op('Evaluation.predict_and_score'), parent_id: root, id: trial },
        ...{ inputs: { example: { q: 'Why?' } }, output: { output: 'So.', scores: { exact: true } } },
      },
      { op_name: op('m.predict'), parent_id: trial, summary: usageOf('llama-of-ours') },
    ]);
    await web.open(`evaluations/results?runs=${root}`);
    const cost = page.getByRole('table', { name: 'Scores by run' }).getByRole('row').filter({ hasText: 'Cost' });
    await cost.getByText('no price', { exact: true }).waitFor();
    await cost.getByRole('link', { name: 'Set a price for llama-of-ours' }).waitFor();
    expect(await seriousFaults(page)).toEqual([]);
    await page.getByRole('table', { name: 'Results' }).getByRole('row').filter({ hasText: 'Why?' }).click();
    await page.getByRole('complementary', { name: 'Row' }).getByText('no price', { exact: true }).waitFor();
  });

  test('a price is added for a million tokens and removed', async () => {
    await open('prices');
    await page.getByRole('button', { name: 'Add price' }).click();
    await dialog().getByLabel('Model').fill('my-model');
    await dialog().getByLabel('Input tokens').fill('free');
    await dialog().getByRole('alert').getByText('Enter a number of dollars').waitFor();
    await dialog().getByLabel('Input tokens').fill('2.50');
    await dialog().getByLabel('Output tokens').fill('10');
    await dialog().getByLabel('In force since').fill('2026-01-31');
    await dialog().getByRole('button', { name: 'Add' }).click();
    await row('Prices', 'my-model').getByText('$2.50').waitFor();
    await row('Prices', 'my-model').getByText('2026-01-31').waitFor();
    const { results } = (await web.server.post('/cost/query', { project_id: project })).json;
    expect(results).toMatchObject([{ prompt_token_cost: 0.0000025, completion_token_cost: 0.00001 }]);
    await page.getByRole('button', { name: 'Remove the price of my-model' }).click();
    await dialog().getByRole('button', { name: 'Remove' }).click();
    await page.getByText('No prices of its own').waitFor();
  });

  test('a list shows a change that was made before its first answer arrived', async () => {
    const readTwice = Promise.withResolvers<void>();
    let reads = 0;
    await page.route('**/keys', async (route) => {
      if (route.request().method() !== 'GET' || ++reads > 1) return route.continue();
      const response = await route.fetch();
      await readTwice.promise;
      await route.fulfill({ response }).catch(() => {}); // the page may no longer wait for it
    });
    await open('keys');
    await page.getByRole('button', { name: 'Create key' }).click();
    await dialog().getByLabel('Name').fill('early');
    await dialog().getByRole('button', { name: 'Create' }).click();
    await expect.poll(() => reads).toBe(2);
    readTwice.resolve();
    await dialog().getByRole('button', { name: 'Done' }).click();
    await row('API keys', 'early').waitFor();
  });

  test('stored bytes and the health of the server are shown', async () => {
    await web.server.upload(project, 'x'.repeat(2048));
    await open('data');
    await page.getByText('2 KB').waitFor();
    await page.getByRole('link', { name: 'older than 30 days' }).waitFor();
    await page.getByRole('tab', { name: 'Server' }).click();
    await page.getByRole('list', { name: 'Components' }).getByText(`${web.server.url} responds`).waitFor();
    await row('Stores', 'ClickHouse').getByText('embedded').waitFor();
    await row('Stores', 'Files')
      .getByText(/^\d+(\.\d)? (MB|GB|TB)$/)
      .waitFor();
    expect(await row('Stores', 'PostgreSQL').textContent()).toMatch(/up.*embedded.*\d+\.\d+.* m?s/);
    expect(await page.getByRole('table', { name: 'vLLM servers' }).count()).toBe(0);
    await row('Configuration', 'HEDDLE_API_KEY').getByText('(given)').waitFor();
    expect(await seriousFaults(page)).toEqual([]);
    expect(await page.content()).not.toContain(web.server.key);
  });
});
