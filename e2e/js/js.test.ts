import { describe, expect, test } from 'vitest';
import { runJs } from '../harness/clients.ts';
import { heddleForFile } from '../harness/heddle-for-file.ts';
import { storedCalls, treeOf } from '../harness/stored-calls.ts';

describe('the JavaScript client', () => {
  const heddle = heddleForFile();

  test('ops of every kind make trees', async () => {
    const project = heddle.server.newProject();
    await runJs(heddle.server, 'tracing.mjs', { args: [project] });
    const calls = await storedCalls(heddle.server, project);
    expect(treeOf(calls)).toEqual([
      { sumOfSquares: [{ add: [] }, { add: [] }, { add: [] }] },
      { 'at-once': Array.from({ length: 5 }, () => ({ add: [] })) },
      { fail: [] },
      { stream: [] },
      { 'Greeter.greet': [] },
      { add: [] },
    ]);
    const named = (name: string) => calls.filter((call) => call.op_name.includes(`/op/${name}:`));
    expect(named('sumOfSquares')[0]).toMatchObject({ output: 14, display_name: 'squares' });
    expect(named('at-once')[0]).toMatchObject({ inputs: { n: 5 }, display_name: '5 at once' });
    expect(named('fail')[0]).toMatchObject({ exception: 'nothing to say: ü', summary: { weave: { status: 'error' } } });
    expect(named('stream')[0]).toMatchObject({ output: [0, 1, 2] });
    expect(calls.at(-1).attributes).toMatchObject({ env: 'test', nested: { a: 1 }, weave: { source: 'js-sdk' } });
  });

  test('what is published is read back', async () => {
    const project = heddle.server.newProject();
    const { row } = await runJs(heddle.server, 'objects.mjs', { args: [project] });
    const answer = await heddle.server.post('/refs/read_batch', { refs: [row] });
    expect(answer.json).toEqual({ vals: [{ id: 'r3', n: 3, twice: 6 }] });
  });

  test('an evaluation runs to its end [evaluations 117 158]', async () => {
    const project = heddle.server.newProject();
    await runJs(heddle.server, 'evaluation.mjs', { args: [project], expected: /, 0 errors\)$/ });
    const [root] = await storedCalls(heddle.server, project, { trace_roots_only: true });
    expect(root.summary.weave.status).toBe('success');
    const { json } = await heddle.server.post(`/v2/${project}/eval_results/query`, {
      evaluation_call_ids: [root.id],
      include_raw_data_rows: true,
      resolve_row_refs: true,
      include_summary: true,
    });
    expect(json.rows.map((row: { raw_data_row: { a: number } }) => row.raw_data_row.a).sort()).toEqual([1, 2]);
    expect(json.rows[0].evaluations[0].trials).toHaveLength(2);
    expect(json.summary.evaluations[0].scorer_stats).toMatchObject([{ scorer_key: 'exact', pass_rate: 0.5 }]);
    const list = async (path: string) => (await heddle.server.get(`/v2/${project}/${path}`)).lines;
    const [run] = await list(`evaluation_runs?evaluation_run_ids=${root.id}`);
    expect(run).toMatchObject({ status: 'completed', evaluation: root.inputs.self, model: root.inputs.model });
    const predictions = await list(`predictions?evaluation_run_id=${root.id}`);
    expect(predictions.map(({ output }) => output).sort()).toEqual([2, 2, 3, 3]);
    expect(predictions[0].model).toBe(root.inputs.model);
    const scores = await list(`scores?evaluation_run_id=${root.id}`);
    expect(scores.map(({ value }) => value).sort()).toEqual([false, false, true, true]);
  });

  test('the statistics of a run whose rows failed are those that the SDK printed', async () => {
    const project = heddle.server.newProject();
    const expected = /is not supported|errors\)$|^ +at /;
    const { summary } = await runJs(heddle.server, 'failing-evaluation.mjs', { args: [project], expected });
    expect(summary).toMatchObject({
      right: { true_count: 1, true_fraction: 0.25 },
      points: { points: { mean: 0.25 } },
    });
    const [root] = await storedCalls(heddle.server, project, { trace_roots_only: true });
    expect(root.output).toEqual(summary);
    const { json } = await heddle.server.post(`/v2/${project}/eval_results/query`, {
      evaluation_call_ids: [root.id],
      include_summary: true,
    });
    const [{ scorer_stats, failures }] = json.summary.evaluations;
    expect(scorer_stats).toMatchObject([
      { scorer_key: 'right', pass_rate: 0.25, failed_count: 3 },
      { scorer_key: 'points', path: 'close', pass_rate: 0.25, failed_count: 3 },
      { scorer_key: 'points', path: 'points', numeric_mean: 0.25, failed_count: 3, count: 4 },
    ]);
    expect(failures.predictions).toEqual({ count: 3, error: expect.stringContaining('is not supported') });
  });

  test('manually logged scores become feedback on their predictions [evaluations 158]', async () => {
    const project = heddle.server.newProject();
    await runJs(heddle.server, 'evaluation-logger.mjs', { args: [project] });
    const far = 'feedback.[wandb.runnable.distance].payload.output.by';
    const $expr = { $gt: [{ $getField: far }, { $literal: 0 }] };
    const query = { project_id: project, query: { $expr }, include_feedback: true };
    const { lines } = await heddle.server.post('/calls/stream_query', query);
    expect(lines.map(({ inputs }) => inputs.arg0.a)).toEqual([2]);
    const given = lines[0].summary.weave.feedback.map(({ payload }: { payload: unknown }) => payload);
    expect(given).toEqual([{ output: false }, { output: { by: 1 } }]);
    const [root] = await storedCalls(heddle.server, project, { trace_roots_only: true });
    const results = await heddle.server.post(`/v2/${project}/eval_results/query`, {
      evaluation_call_ids: [root.id],
      include_summary: true,
    });
    expect(results.json.summary.evaluations[0].scorer_stats).toMatchObject([
      { scorer_key: 'correct', pass_rate: 0.5 },
      { scorer_key: 'distance', path: 'by', numeric_mean: 0.5 },
    ]);
    const predictions = await heddle.server.get(`/v2/${project}/predictions?evaluation_run_id=${root.id}`);
    expect(predictions.lines).toMatchObject([
      { output: 2, model: root.inputs.model },
      { output: 3, model: root.inputs.model },
    ]);
  });

  test('a wrong key is refused with words that say why', async () => {
    const environment = { WANDB_API_KEY: 'wrong'.padEnd(48, '0') };
    const report = await runJs(heddle.server, 'wrong-key.mjs', { args: ['ent/any'], environment });
    expect(report).toMatchObject({ status: 401 });
  });
});
