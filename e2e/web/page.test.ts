import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { otlpJson } from '../../src/otel/testing/span.ts';
import { runPython } from '../harness/clients.ts';
import { pythonIsReady } from '../python/environment.ts';
import { seriousFaults } from './accessibility.ts';
import { browserPath, signIn } from './browser.ts';
import { browserForFile } from './browser-for-file.ts';
import { pages } from './pages.ts';

/** Needs Python's SDK, which fills the projects, and a browser: `apt-get install chromium`. */
describe.skipIf(!pythonIsReady() || browserPath === null)('the web page in a browser', () => {
  const web = browserForFile();
  let page: Page;
  let project: string;
  /** Has evaluations and their objects. */
  let evaluated: string;
  let evaluations: { runs: string[]; summaries: any[] };
  beforeAll(async () => {
    project = web.server.newProject();
    await runPython(web.server, 'nested_ops.py', { args: [project] });
    evaluated = web.server.newProject();
    evaluations = await runPython(web.server, 'compared_evaluations.py', {
      args: [evaluated],
      expected: /model_output failed|Traceback|7 is not supported|Error/,
    });
  });
  beforeEach(() => {
    ({ page } = web);
  });

  test('asks for a key, says that a wrong one is wrong, and signs in and out', async () => {
    const context = await web.browser.newContext();
    const own = await web.openPage(context);
    await own.goto(`${web.server.url}/${project}/weave`);
    await own.getByLabel('API key').fill('wrong'.padEnd(48, '0'));
    await own.getByRole('button', { name: 'Sign in' }).click();
    await own.getByRole('alert').getByText('This API key is not valid').waitFor();
    await own.getByLabel('API key').fill(web.server.key);
    await own.getByRole('button', { name: 'Sign in' }).click();
    await own.getByRole('heading', { name: 'Traces' }).waitFor();
    expect(
      await own.evaluate(() => JSON.stringify({ ...localStorage, ...sessionStorage }) + document.cookie),
    ).not.toContain(web.server.key.slice(0, 12));
    await own.getByRole('button', { name: 'Account and appearance' }).click();
    await own.getByRole('menuitem', { name: 'Sign out' }).click();
    await own.getByLabel('API key').waitFor();
    await context.close();
  });

  test('an empty project shows how to fill it, and its traces as soon as they arrive', async () => {
    const empty = web.server.newProject();
    await page.goto(`${web.server.url}/${empty}/weave`);
    await page.getByText(`weave.init("${empty}")`).waitFor();
    await page.getByText(`WANDB_BASE_URL=${web.server.url}`).waitFor();
    await runPython(web.server, 'nested_ops.py', { args: [empty] });
    await page.getByRole('table', { name: 'Traces' }).getByText('sum_of_squares').first().waitFor();
  });

  test('a trace opens beside the list, and at the address that the SDK prints', async () => {
    await page.goto(`${web.server.url}/${project}/weave`);
    await page.getByRole('row').filter({ hasText: 'at_once' }).click();
    await page.getByRole('treeitem', { name: 'wait_and_double' }).first().click();
    await page.getByRole('heading', { name: 'wait_and_double', level: 2 }).last().waitFor();
    const callId = new URL(page.url()).searchParams.get('call');
    await page.goto(`${web.server.url}/${project}/r/call/${callId}`);
    await page.getByRole('tree', { name: 'Calls of the trace' }).getByText('at_once').waitFor();
    await page.getByRole('heading', { name: 'wait_and_double', level: 2 }).waitFor();
  });

  test('a filter finds calls, and says when it cannot be read', async () => {
    await page.goto(`${web.server.url}/${project}/weave/traces?all=1`);
    const rows = page.getByRole('table', { name: 'Traces' }).getByRole('row');
    const filter = page.getByRole('combobox', { name: 'Filter' });
    await filter.fill('op_name:wait_and_double inputs.x>1');
    await page.getByText('1 shown, that is all.').waitFor();
    expect(new URL(page.url()).searchParams.get('q')).toBe('op_name:wait_and_double inputs.x>1');
    await filter.fill('(op_name');
    await page.getByRole('alert').getByText('expected a closing bracket').waitFor();
    await page.getByRole('button', { name: 'Clear the filter' }).click();
    await rows.filter({ hasText: 'sum_of_squares' }).first().waitFor();
  });

  test('a filter is completed by keyboard alone', async () => {
    await page.goto(`${web.server.url}/${project}/weave/traces?all=1`);
    await page.getByRole('table', { name: 'Traces' }).getByRole('row').nth(1).waitFor();
    const filter = page.getByRole('combobox', { name: 'Filter' });
    const options = page.getByRole('listbox', { name: 'Completions' }).getByRole('option');
    await filter.focus();
    await page.keyboard.type('op_n');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    expect(await filter.inputValue()).toBe('op_name:');
    await options.filter({ hasText: 'wait_and_double' }).first().waitFor();
    await page.keyboard.type('wait_and');
    await expect.poll(() => options.count()).toBe(1);
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Tab');
    expect(await filter.inputValue()).toBe('op_name:wait_and_double ');
    await expect.poll(() => options.count()).toBeGreaterThan(1);
    await page.keyboard.press('Escape');
    await expect.poll(() => options.count()).toBe(0);
    expect(await filter.inputValue()).toBe('op_name:wait_and_double ');
    await page.keyboard.press('Enter');
    await expect.poll(() => new URL(page.url()).searchParams.get('q')).toMatch(/^op_name:wait_and_double/);
  });

  test('a list shows all calls, also if many started at one time or have names that cannot be decoded', async () => {
    const own = web.server.newProject();
    const calls = (count: number, time: string, op_name: string) =>
      Array.from({ length: count }, () => ({
        ...{ project_id: own, id: crypto.randomUUID(), trace_id: crypto.randomUUID(), op_name },
        ...{ started_at: time, ended_at: time, attributes: {}, inputs: {}, output: 1, summary: {} },
      }));
    const batch = [
      ...calls(30, '2026-01-01T00:00:00.000002Z', 'newest'),
      ...calls(230, '2026-01-01T00:00:00.000001Z', 'at_one_time'),
      ...calls(50, '2026-01-01T00:00:00.000000Z', `weave:///${own}/op/%E0%A4:abc`),
    ];
    await web.server.post(`/v2/${own}/calls/complete`, { batch });
    await page.goto(`${web.server.url}/${own}/weave/traces`);
    const table = page.getByRole('table', { name: 'Traces' });
    const oldest = table.getByRole('row').filter({ hasText: '%E0%A4' });
    const toEnd = async () => {
      await table.evaluate((element) => element.parentElement!.scrollTo(0, element.scrollHeight));
      return (await page.getByText('310 shown, that is all.').isVisible()) && (await oldest.count()) > 0;
    };
    await expect.poll(toEnd, { timeout: 10_000 }).toBe(true);
    await oldest.last().click();
    await page.getByRole('tab', { name: 'Code' }).click();
    await page.getByText('No code was recorded for this op').waitFor();
  });

  test('the form for the key appears when the session ends while a page is open', async () => {
    const context = await web.browser.newContext();
    await signIn(context, web.server);
    const own = await web.openPage(context);
    await own.goto(`${web.server.url}/${project}/weave/traces?live=1`);
    await own.getByRole('table', { name: 'Traces' }).waitFor();
    await context.clearCookies();
    await own.getByLabel('API key').waitFor();
    await context.close();
  });

  test('a trace whose root is elsewhere is in every list, by its topmost call, and its tree has all calls', async () => {
    const own = web.server.newProject();
    const traceId = 'f'.repeat(32);
    const id = (n: number) => n.toString(16).padStart(16, '0');
    const span = (name: string, n: number, parent: number, tokens = 0) => ({
      ...{ name, traceId, spanId: id(n), parentSpanId: id(parent) },
      ...{ startTimeUnixNano: `${Date.now() * 1e6 + n}`, endTimeUnixNano: `${Date.now() * 1e6 + 1e9}` },
      attributes: {
        ...{ 'session.id': 'the-session', 'gen_ai.request.model': 'gpt-4o', 'input.value': `asks ${name}` },
        ...(tokens > 0 ? { 'gen_ai.usage.input_tokens': tokens } : {}),
      },
    });
    // Below a span of the browser; one below a span that was lost; two that name each other.
    const spans = [
      span('gateway', 1, 99),
      span('answer', 2, 1, 1000),
      span('lost', 3, 98, 234),
      span('ping', 4, 5),
      span('pong', 5, 4),
    ];
    const [entity, name] = own.split('/');
    const resource = { 'wandb.entity': entity, 'wandb.project': name };
    await web.server.post('/otel/v1/traces', JSON.parse(otlpJson(spans, resource)));
    await page.goto(`${web.server.url}/${own}/weave/traces`);
    await page.getByRole('table', { name: 'Traces' }).getByText('gateway', { exact: true }).waitFor();
    await page.getByText('1 shown, that is all.').waitFor();
    await page.getByRole('row').filter({ hasText: 'gateway' }).click();
    const tree = page.getByRole('tree', { name: 'Calls of the trace' });
    await tree.getByText('gateway', { exact: true }).waitFor();
    expect(await tree.getByRole('treeitem').count()).toBe(5);
    await page.goto(`${web.server.url}/${own}/weave/threads`);
    await page.getByRole('table').getByText('the-session').first().click();
    await page.getByText('asks gateway').first().waitFor();
    await page.getByText('1,234 tokens').first().waitFor();
    await page.goto(`${web.server.url}/${own}/weave/dashboard`);
    await page.getByText('1, 0 failed').first().waitFor();
  });

  test('calls are deleted after a question', async () => {
    const own = web.server.newProject();
    await runPython(web.server, 'nested_ops.py', { args: [own] });
    await page.goto(`${web.server.url}/${own}/weave/traces`);
    await page.getByRole('checkbox', { name: 'Select all rows' }).check();
    await page.getByRole('button', { name: 'Delete 3' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
    await page.getByText(`weave.init("${own}")`).waitFor();
  });

  test('HTML and scripts in names and payloads are shown as text', async () => {
    const own = web.server.newProject();
    const html = '<img src=x onerror="window.hacked=1"><script>window.hacked=1</script>';
    const time = new Date().toISOString();
    const call = {
      ...{ project_id: own, id: crypto.randomUUID(), trace_id: crypto.randomUUID(), op_name: html, display_name: html },
      ...{ started_at: time, ended_at: time, attributes: { [html]: html }, exception: html, summary: {} },
      inputs: {
        messages: [
          { role: html, content: html },
          { role: 'user', content: [{ type: 'text', text: html }] },
        ],
      },
      output: { role: 'assistant', content: html, image: 'https://elsewhere.example/x.png' },
    };
    await web.server.post(`/v2/${own}/calls/complete`, { batch: [call] });
    await page.goto(`${web.server.url}/${own}/weave/traces?call=${call.id}`);
    await page.getByRole('list', { name: 'Conversation' }).getByText(html).first().waitFor();
    await page.getByRole('tab', { name: 'Data' }).click();
    await page.getByRole('tree', { name: 'Output' }).getByText(html).waitFor();
    expect(await page.evaluate(() => 'hacked' in window || document.querySelector('img') !== null)).toBe(false);
  });

  test('the command palette goes to a project by keyboard alone', async () => {
    await page.goto(web.server.url);
    await page.getByRole('heading', { name: 'Projects' }).waitFor();
    await page.keyboard.press('Control+k');
    await page.getByRole('combobox', { name: 'Search commands' }).fill(project);
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Traces' }).waitFor();
  });

  test('runs of evaluations are compared row by row, down to the call', async () => {
    await page.goto(`${web.server.url}/${evaluated}/weave/evaluations`);
    for (const model of ['careful-adder', 'hasty-adder']) {
      await page.getByRole('row').filter({ hasText: model }).getByRole('checkbox').check();
    }
    await page.getByRole('button', { name: 'Compare 2 runs' }).click();
    const scores = page.getByRole('table', { name: 'Scores by run' }).getByRole('row').filter({ hasText: 'exact' });
    await scores.getByText('42.3 % … 79.1 %').waitFor();
    await page.getByRole('button', { name: 'Actions of' }).first().click();
    await page.getByRole('menuitem', { name: 'Remove from comparison' }).waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('checkbox', { name: 'Only rows that differ' }).check();
    await page.getByText('9 of 24 rows').waitFor();
    expect(await seriousFaults(page)).toEqual([]);
    await page.reload();
    await page.getByText('9 of 24 rows').waitFor();
    await page.getByRole('table', { name: 'Results' }).getByRole('row').filter({ hasText: 'What is 3 + 6?' }).click();
    await page.getByRole('complementary', { name: 'Row' }).getByText('<b>far</b>').first().waitFor();
    await page.getByRole('link', { name: 'Open the trial' }).last().click();
    await page.getByRole('heading', { name: 'Evaluation.predict_and_score' }).waitFor();
  });

  const summaryOf = async (id: string, projectId: string) => {
    const body = { evaluation_call_ids: [id], include_summary: true, include_rows: false };
    const { json } = await web.server.post(`/v2/${projectId}/eval_results/query`, body);
    return json.summary.evaluations[0];
  };
  const outputOf = async (id: string, project_id: string) =>
    (await web.server.post('/calls/stream_query', { project_id, filter: { call_ids: [id] } })).lines[0].output;

  test('the list, the page, the API and the SDK agree on the scores of a run whose rows failed', async () => {
    const [id, printed] = [evaluations.runs[1]!, evaluations.summaries[1]];
    expect((await outputOf(id, evaluated)).exact).toEqual(printed.exact);
    const { scorer_stats, failures } = await summaryOf(id, evaluated);
    const rateOf = (key: string, path: string | null) =>
      scorer_stats.find((each: any) => each.scorer_key === key && each.path === path);
    expect(rateOf('exact', null)).toMatchObject({ pass_rate: printed.exact.true_fraction, failed_count: 1, count: 24 });
    expect(rateOf('closeness', 'close').pass_rate).toBe(printed.closeness.close.true_fraction);
    expect(rateOf('closeness', 'distance').numeric_mean).toBeCloseTo(printed.closeness.distance.mean, 12);
    expect(failures.predictions).toEqual({ count: 1, error: expect.stringContaining('7 is not supported') });

    await page.goto(`${web.server.url}/${evaluated}/weave/evaluations`);
    await page.getByRole('row').filter({ hasText: 'hasty-adder' }).getByText('62.5 %').first().waitFor();
    await page.goto(`${web.server.url}/${evaluated}/weave/evaluations/results?runs=${id}`);
    const scores = page.getByRole('table', { name: 'Scores by run' });
    await scores.getByRole('row').filter({ hasText: 'exact' }).getByText('62.5 %').waitFor();
    await scores.getByRole('row').filter({ hasText: 'exact' }).getByText('scored 23 of 24').waitFor();
    await scores.getByText('1 prediction: ').filter({ hasText: '7 is not supported' }).waitFor();
  });

  test('the list, the page, the API and the command line agree on a run of the server whose rows failed', async () => {
    const directory = mkdtempSync(join(tmpdir(), 'heddle-failing-'));
    const rows = Array.from({ length: 10 }, (_, i) => (i === 0 ? { question: 'Say hello.' } : { other: i }));
    writeFileSync(join(directory, 'mostly-broken.json'), JSON.stringify(rows));
    const printed = await web.server.command(
      ...['eval', 'run', '--project', web.project, '--model', 'heddle/tiny', '--prompt', '{question}'],
      ...['--max-tokens', '4', '--dataset', join(directory, 'mostly-broken.json'), '--scorer', 'regex:^'],
    );
    rmSync(directory, { recursive: true });
    expect(printed).toMatch(/^regex:\^ +10\.0 % .* 1 of 10$/m);
    expect(printed).toMatch(/^9 answers failed: .*question/m);
    const id = /^Evaluation (\S+)/m.exec(printed)![1]!;
    expect((await outputOf(id, web.project))['regex:^']).toEqual({ true_count: 1, true_fraction: 0.1 });
    expect((await summaryOf(id, web.project)).scorer_stats).toMatchObject([{ pass_rate: 0.1, failed_count: 9 }]);
    await web.open('evaluations');
    await page.getByRole('row').filter({ hasText: 'mostly-broken' }).getByText('10 %', { exact: true }).waitFor();
    await web.open(`evaluations/results?runs=${id}`);
    const scores = page.getByRole('table', { name: 'Scores by run' });
    await scores.getByRole('row').filter({ hasText: 'regex' }).getByText('10 %', { exact: true }).waitFor();
    await scores.getByText('9 predictions: ').waitFor();
    expect(await seriousFaults(page)).toEqual([]);
  });

  test('the results of an unknown run say so', async () => {
    await page.goto(`${web.server.url}/${evaluated}/weave/evaluations/results?runs=unknown`);
    await page.getByText('No such run of an evaluation').waitFor();
    await page.getByRole('button', { name: 'Choose runs' }).click();
    await page.getByRole('heading', { name: 'Evaluations' }).waitFor();
  });

  test('versions of a dataset are compared and named at the address that the SDK prints', async () => {
    await page.goto(`${web.server.url}/${evaluated}/weave/objects?kind=Dataset`);
    await page.getByRole('row').filter({ hasText: 'additions' }).click();
    await page.getByRole('table', { name: 'Rows' }).getByRole('row').filter({ hasText: 'What is 3 + 6?' }).click();
    await page.getByRole('complementary', { name: 'Row 4' }).waitFor();
    await page.getByRole('tab', { name: 'Changes' }).click();
    await page.getByRole('region', { name: 'Rows' }).getByText('+4 −0').waitFor();
    expect(await seriousFaults(page)).toEqual([]);
    await page.getByRole('button', { name: 'Add alias' }).click();
    await page.getByLabel('Alias', { exact: true }).fill('v1');
    await page.getByRole('button', { name: 'Add', exact: true }).click();
    await page.getByRole('alert').waitFor();
    await page.getByLabel('Alias', { exact: true }).fill('golden');
    await page.getByRole('button', { name: 'Add', exact: true }).click();
    await page.getByRole('button', { name: 'Remove the alias golden' }).waitFor();
    await page.goto(`${web.server.url}/${evaluated}/weave/objects/additions/versions/golden`);
    await page.getByRole('tab', { name: 'Rows' }).waitFor();
    await page.goto(`${web.server.url}/${evaluated}/weave/ops/closeness/versions/latest`);
    await page.getByText('def closeness').waitFor();
    await page.goto(`${web.server.url}/${evaluated}/weave/objects/additions/versions/unknown`);
    await page.getByText('This version does not exist').waitFor();
  });

  test('a leaderboard ranks the models', async () => {
    await page.goto(`${web.server.url}/${evaluated}/weave/leaderboards/adders`);
    const standings = page.getByRole('table', { name: 'Standings' }).getByRole('row');
    await standings.nth(1).getByText('careful-adder').waitFor();
    await standings.nth(2).getByText('0.625').waitFor();
  });

  test.each(pages)('the page $name has no serious accessibility fault', async ({ path }) => {
    await page.goto(`${web.server.url}/${evaluated}/weave/${path}`);
    await page.getByRole('main').getByRole('heading').first().waitFor();
    expect(await seriousFaults(page)).toEqual([]);
  });
});
