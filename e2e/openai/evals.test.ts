import { expect, test } from 'vitest';
import { runJs, runPython } from '../harness/clients.ts';
import { startHeddle } from '../harness/heddle.ts';
import { heddleForFile, testDataDirectory } from '../harness/heddle-for-file.ts';
import { pythonIsReady } from '../python/environment.ts';

const heddle = heddleForFile();

test.skipIf(!pythonIsReady())(
  'evals with the official SDK for Python, read as an evaluation of the project',
  async () => {
    const project = heddle.server.newProject();
    const report = await runPython(heddle.server, '../openai/evals.py', { args: [project] });
    expect(report.codes).toEqual({
      schema: [400, 'data_source.source.content.0.item', 'invalid_request_error'],
      missing: [404, null, 'invalid_request_error'],
    });
    const query = { evaluation_call_ids: [report.call], include_rows: true, include_summary: true };
    const { json } = await heddle.server.post(`/v2/${project}/eval_results/query`, query);
    expect(json.rows).toHaveLength(3);
  },
);

test('evals with the official SDK for JavaScript', async () => {
  const project = heddle.server.newProject();
  const { deletion } = await runJs(heddle.server, '../openai/evals.mjs', { args: [project] });
  expect(deletion).toMatchObject({ object: 'eval.deleted', deleted: true });
});

test('a run continues after the server is killed, and has each row once', async () => {
  const data = testDataDirectory();
  const rows = 1500;
  const grader = {
    type: 'string_check',
    name: 'same',
    operation: 'eq',
    input: '{{ item.n }}',
    reference: '{{ item.n }}',
  };
  const config = { type: 'custom', item_schema: { type: 'object' } };
  const content = Array.from({ length: rows }, (_, n) => ({ item: { n } }));
  const first = await startHeddle(data);
  const { json: of } = await first.post('/v1/evals', { data_source_config: config, testing_criteria: [grader] });
  const data_source = { type: 'jsonl', source: { type: 'file_content', content } };
  const { json: run } = await first.post(`/v1/evals/${of.id}/runs`, { data_source });
  const path = `/v1/evals/${of.id}/runs/${run.id}`;
  await expect.poll(async () => (await first.get(`${path}/output_items?limit=1`)).json.data.length).toBe(1);
  expect((await first.get(path)).json.status).toBe('in_progress');
  await first.end('SIGKILL');

  const second = await startHeddle(data);
  const read = async () => (await second.get(path)).json;
  await expect.poll(async () => (await read()).status, { timeout: 40_000 }).toBe('completed');
  expect((await read()).result_counts).toEqual({ total: rows, passed: rows, failed: 0, errored: 0 });
  const query = { evaluation_call_ids: [run.report_url.split('/').at(-1)], include_rows: true };
  const { json } = await second.post(
    `/v2/${run.report_url.split('/').slice(3, 5).join('/')}/eval_results/query`,
    query,
  );
  expect(json.rows).toHaveLength(rows);
  await second.close();
});
