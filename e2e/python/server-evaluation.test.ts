import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test, vi } from 'vitest';
import { runPython } from '../harness/clients.ts';
import { type Heddle, startHeddle } from '../harness/heddle.ts';
import { heddleForFile, testDataDirectory } from '../harness/heddle-for-file.ts';
import { pythonIsReady } from './environment.ts';

const waiting = { timeout: 60_000, interval: 200 };
const scorers = ['contains', 'has-letters', 'judge', 'plain-judge'];

type Call = any;
const opOf = (call: Call): string => /op\/(.*):/.exec(call.op_name)?.[1] ?? call.op_name;

async function callsOf(heddle: Heddle, project: string, filter: object = {}): Promise<Call[]> {
  return (await heddle.post('/calls/stream_query', { project_id: project, filter })).lines;
}

async function feedbackOf(heddle: Heddle, project: string): Promise<Call[]> {
  return (await heddle.post('/feedback/query', { project_id: project })).json.result;
}

describe.skipIf(!pythonIsReady())('server-side evaluations with the Python client', () => {
  const heddle = heddleForFile();

  test('an evaluation published from the SDK runs to its end and is read while it runs [evaluations 136 139 141]', async () => {
    const project = heddle.server.newProject();
    const { id, seen, traced, scorer } = await runPython(heddle.server, 'server_evaluation.py', {
      args: [project, '6'],
    });
    expect(seen.at(-1)).toMatchObject({
      code: 'complete',
      output: { contains: { true_count: expect.any(Number) }, 'has-letters': { true_fraction: expect.any(Number) } },
    });
    expect(new Set(seen.map((status: Call) => status.code))).toContain('running');
    const calls = await callsOf(heddle.server, project, { trace_ids: [id] });
    expect(calls.filter((call) => call.exception !== null)).toEqual([]);
    const trials = calls.filter((call) => opOf(call) === 'Evaluation.predict_and_score');
    expect(trials.map((call) => Object.keys(call.output.scores).sort())).toEqual(Array(6).fill(scorers));

    // The scorer that was published is applied to a call that was traced before. [evaluations 143]
    const [feedback] = await vi.waitFor(async () => {
      const found = (await feedbackOf(heddle.server, project)).filter((each) => each.weave_ref.endsWith(traced));
      expect(found).toHaveLength(1);
      return found;
    }, waiting);
    expect(feedback).toMatchObject({
      feedback_type: 'wandb.runnable.contains',
      payload: { output: true },
      runnable_ref: scorer,
    });
  });

  test('the evaluation in the README runs without a provider key', async () => {
    const read = (path: string) => readFileSync(join(import.meta.dirname, path), 'utf8');
    const [, shown = ''] = /```python\n(import asyncio[^`]*)```/.exec(read('../../README.md')) ?? [];
    expect(read('first_evaluation.py')).toContain(shown.replace('"my-project"', 'sys.argv[1]'));
    const project = heddle.server.newProject();
    const summary = await runPython(heddle.server, 'first_evaluation.py', { args: [project] });
    expect(summary).toMatchObject({
      correct: { true_count: expect.any(Number) },
      model_latency: { mean: expect.any(Number) },
    });
    const outputs = (await callsOf(heddle.server, project))
      .filter((call) => opOf(call) === 'LLMStructuredCompletionModel.predict')
      .map((call) => call.output);
    expect(outputs).toEqual([expect.any(String)]);
  });

  test('a monitor of the SDK scores new calls of its ops', async () => {
    const project = heddle.server.newProject();
    const { watched } = await runPython(heddle.server, 'monitor.py', { args: [project] });
    const feedback = await vi.waitFor(async () => {
      const found = await feedbackOf(heddle.server, project);
      expect(found).toHaveLength(1);
      return found;
    }, waiting);
    expect(feedback).toMatchObject([
      {
        feedback_type: 'wandb.runnable.contains',
        weave_ref: `weave:///${project}/call/${watched}`,
        trigger_ref: expect.stringContaining('/object/watch:'),
        payload: { output: true },
      },
    ]);
    expect(await heddle.server.command('monitors')).toMatch(new RegExp(`${project} +watch +1 +0 +0 +active`));
  });

  test('scores every row exactly once if it is killed and started again', async () => {
    const rows = 80;
    const data = testDataDirectory();
    const project = 'ent/killed';
    const first = await startHeddle(data);
    const { id } = await runPython(first, 'server_evaluation.py', { args: [project, String(rows), 'leave'] });
    const statusOf = async (server: Heddle) =>
      (await server.post('/evaluations/status', { project_id: project, call_id: id })).json.status;
    const hasDone = (server: Heddle, count: number) =>
      vi.waitFor(async () => expect((await statusOf(server)).completed_rows).toBeGreaterThanOrEqual(count), waiting);
    await hasDone(first, 20);
    await first.end('SIGKILL');
    const second = await startHeddle(data);
    const resumed = await statusOf(second);
    expect(resumed).toMatchObject({ code: 'running', total_rows: rows });
    expect(resumed.completed_rows).toBeLessThan(rows);
    await hasDone(second, 45);
    await second.end('SIGKILL');
    const third = await startHeddle(data);
    await vi.waitFor(async () => expect((await statusOf(third)).code).toBe('complete'), waiting);

    const calls = await callsOf(third, project, { trace_ids: [id] });
    const counts = Object.groupBy(calls, opOf);
    const times = (op: string) => counts[op]?.length;
    expect(times('Evaluation.evaluate')).toBe(1);
    expect(times('Evaluation.summarize')).toBe(1);
    expect(times('Evaluation.predict_and_score')).toBe(rows);
    expect(times('LLMStructuredCompletionModel.predict')).toBe(rows);
    for (const scorer of scorers) expect(times(`${scorer}.score`)).toBe(rows);
    expect(calls.filter((call) => call.ended_at === null || call.exception !== null)).toEqual([]);
    const examples = counts['Evaluation.predict_and_score']!.map((call) => call.inputs.example);
    expect(new Set(examples).size).toBe(rows);
    const feedback = (await feedbackOf(third, project)).filter((each) => each.call_ref !== null);
    const ofRun = feedback.filter((each) => calls.some((call) => each.weave_ref.endsWith(call.id)));
    expect(ofRun).toHaveLength(rows * scorers.length);
    await third.close();
    rmSync(data, { recursive: true, force: true });
  });
});
