import { expect, test } from 'vitest';
import { runJs, runPython } from '../harness/clients.ts';
import { heddleForFile } from '../harness/heddle-for-file.ts';
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
