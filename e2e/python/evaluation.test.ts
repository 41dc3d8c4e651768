import { describe, expect, test } from 'vitest';
import { runPython } from '../harness/clients.ts';
import { heddleForFile } from '../harness/heddle-for-file.ts';
import { storedCalls, treeOf } from '../harness/stored-calls.ts';
import { pythonIsReady } from './environment.ts';

describe.skipIf(!pythonIsReady())('evaluations of the Python client', () => {
  const heddle = heddleForFile();

  test('an evaluation is one call tree of predictions, scores and summaries [evaluations 77 78 113 156]', async () => {
    const project = heddle.server.newProject();
    const { root } = await runPython(heddle.server, 'evaluation.py', { args: [project] });
    const [evaluation, ...others] = treeOf(await storedCalls(heddle.server, project));
    expect(others).toEqual([]);
    const predictions = evaluation!['Evaluation.evaluate']!.filter((each) => each['Evaluation.predict_and_score']);
    expect(predictions).toHaveLength(4);
    const scores = await heddle.server.post('/feedback/query', { project_id: project, fields: ['feedback_type'] });
    const types = scores.json.result.map((each: { feedback_type: string }) => each.feedback_type).sort();
    expect(types).toEqual([...Array(4).fill('wandb.runnable.Distance'), ...Array(4).fill('wandb.runnable.exact')]);

    const { rows, summary } = await results(project, root);
    expect(rows.map((row) => [row.raw_data_row, row.evaluations[0].trials.length])).toEqual(
      expect.arrayContaining([
        [{ a: 1, expected: 2 }, 2],
        [{ a: 2, expected: 4 }, 2],
      ]),
    );
    const [trial] = rows.find((row) => row.raw_data_row.a === 2)!.evaluations[0].trials;
    expect(trial).toMatchObject({ model_output: 3, scores: { exact: false, Distance: { distance: 1 } } });
    expect(trial.model_latency_seconds).toBeGreaterThanOrEqual(0);
    expect(Object.keys(trial.scorer_call_ids)).toEqual(['Distance']); // a function is not marked as a scorer
    expect(summary.evaluations[0].scorer_stats).toMatchObject([
      { scorer_key: 'exact', path: null, pass_rate: 0.5, count: 4 },
      { scorer_key: 'Distance', path: 'distance', numeric_mean: 0.5, count: 4 },
    ]);
    const run = await heddle.server.get(`/v2/${project}/evaluation_runs/${root}`);
    expect(run.json).toMatchObject({ status: 'completed', evaluation: expect.stringContaining('sums-evaluation') });
    const prediction = await heddle.server.get(`/v2/${project}/predictions/${trial.predict_call_id}`);
    expect(prediction.json).toMatchObject({ output: 3, evaluation_run_id: root });

    const { evaluation: evaluated, model } = run.json;
    expect((await list(project, `evaluation_runs?evaluations=${evaluated}&models=${model}`)).map(runId)).toEqual([
      root,
    ]);
    expect((await list(project, `predictions?evaluation_run_id=${root}`)).map(({ output }) => output).sort()).toEqual([
      ...[2, 2, 3, 3],
    ]);
    const given = await list(project, `scores?evaluation_run_id=${root}`);
    const name = (score: any) => /\/(?:object|op)\/(.*):/.exec(score.scorer)?.[1];
    expect(given.map(name).sort()).toEqual([...Array(4).fill('Distance'), ...Array(4).fill('exact')]);
  });

  test('a manually logged evaluation has the same results [evaluations 115 163]', async () => {
    const project = heddle.server.newProject();
    const { root } = await runPython(heddle.server, 'evaluation_logger.py', { args: [project] });
    const [call] = await storedCalls(heddle.server, project, { call_ids: [root] });
    expect(call.summary.weave).toMatchObject({
      views: { report: { _type: 'CustomWeaveType', files: { content: expect.any(String) } } },
      status: 'success',
    });
    const { rows, summary } = await results(project, root);
    const attempts = rows.map(({ raw_data_row, evaluations }) => [raw_data_row.question, evaluations[0].trials[0]]);
    expect(new Map(attempts as [string, object][]).get('b')).toMatchObject({
      model_output: 'B',
      scores: { points: 0.5, checks: { ok: false } },
      scorer_call_ids: { points: expect.any(String), checks: expect.any(String) },
    });
    expect(summary.evaluations[0]).toMatchObject({ display_name: 'by hand', trial_count: 2 });
    expect(summary.evaluations[0].scorer_stats).toMatchObject([
      { scorer_key: 'points', numeric_mean: 0.75 },
      { scorer_key: 'checks', path: 'ok', pass_rate: 0.5 },
    ]);
    expect((await list(project, `evaluation_runs?evaluation_run_ids=${root}`)).map(runId)).toEqual([root]);
    const predictions = await list(project, `predictions?evaluation_run_id=${root}`);
    expect(predictions.map(({ inputs, output }) => [inputs, output])).toEqual([
      [{ question: 'a' }, 'A'],
      [{ question: 'b' }, 'B'],
    ]);
    const given = await list(project, `scores?evaluation_run_id=${root}`);
    expect(given.map(({ value }) => value)).toEqual([1, { ok: true }, 0.5, { ok: false }]);
  });

  test('the results name the spans that an agent sent from inside its predictions [evaluations 108 155]', async () => {
    const project = heddle.server.newProject();
    const { roots } = await runPython(heddle.server, 'evaluated_agent.py', { args: [project] });
    expect(roots).toHaveLength(2);
    for (const [root, count] of [
      [roots[0], 2],
      [roots[1], 1],
    ]) {
      const trials = (await results(project, root)).rows.flatMap((row) => row.evaluations[0].trials);
      expect(trials).toHaveLength(count);
      for (const { model_output, genai_span_ref } of trials) {
        expect(genai_span_ref).toEqual([
          { trace_id: expect.stringMatching(/^[0-9a-f]{32}$/), span_id: model_output.span },
        ]);
      }
    }
  });

  const runId = (run: any) => run.evaluation_run_id;

  async function list(project: string, path: string): Promise<any[]> {
    return (await heddle.server.get(`/v2/${project}/${path}`)).lines;
  }

  async function results(project: string, root: string) {
    const answer = await heddle.server.post(`/v2/${project}/eval_results/query`, {
      evaluation_call_ids: [root],
      include_raw_data_rows: true,
      resolve_row_refs: true,
      include_summary: true,
    });
    expect([answer.status, answer.json.warnings]).toEqual([200, []]);
    return answer.json as { rows: any[]; summary: any };
  }
});
