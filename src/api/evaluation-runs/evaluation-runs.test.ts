import { randomUUID } from 'node:crypto';
import { beforeEach, describe, expect, test } from 'vitest';
import { completeOf, logCalls, queryCalls, readCall } from '../testing/calls.ts';
import { testServer } from '../testing/server.ts';

const server = await testServer();
let project: string;
let evaluation: string;
let model: string;
let scorer: string;
beforeEach(async () => {
  project = await server.newProject();
  const ref = (name: string) => `weave:///${project}/object/${name}:${'1'.repeat(43)}`;
  [evaluation, model, scorer] = [ref('e1'), ref('m1'), ref('acc')];
});

const at = (path: string) => `/v2/${project}/${path}`;
const read = (path: string) => server.get(at(path));
const remove = (path: string) => server.get(at(path), { method: 'DELETE' });
const finish = (path: string, body: unknown = {}) => server.post(at(`${path}/finish`), body);
const call = async (id: string) => (await readCall(server, project, id)).call;

async function made(path: string, body: unknown, key: string): Promise<string> {
  const { status, json, text } = await server.post(at(path), body);
  expect([status, text]).toEqual([200, expect.stringContaining(key)]);
  return json[key];
}

const startRun = (more: object = {}) => made('evaluation_runs', { evaluation, model, ...more }, 'evaluation_run_id');
const predict = (more: object = {}) =>
  made('predictions', { model, inputs: { q: 'a' }, output: 'A', ...more }, 'prediction_id');
const score = (predictionId: string, value: unknown, more: object = {}) =>
  made('scores', { prediction_id: predictionId, scorer, value, ...more }, 'score_id');

describe('evaluation runs', () => {
  test('are calls of Evaluation.evaluate [evaluations 72 73]', async () => {
    const id = await startRun();
    expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7/);
    const { op_name, trace_id, parent_id, attributes, inputs } = await call(id);
    expect(op_name).toMatch(/^weave:\/\/\/.*\/op\/Evaluation\.evaluate:\w{43}$/);
    expect([trace_id, parent_id, inputs]).toEqual([id, null, { self: evaluation, model }]);
    expect(attributes.weave).toEqual({ evaluation_run: 'true', evaluation, model });
    expect((await read(`evaluation_runs/${id}`)).json).toEqual({
      evaluation_run_id: id,
      evaluation,
      model,
      status: 'running',
      finished_at: null,
      started_at: expect.stringMatching(/Z$/),
      summary: { weave: expect.objectContaining({ status: 'running' }) },
      source_evaluation_run_id: null,
    });
  });

  test('may name the run they repeat [evaluations 74]', async () => {
    const id = await startRun({ source_evaluation_run_id: 'other' });
    expect((await read(`evaluation_runs/${id}`)).json.source_evaluation_run_id).toBe('other');
    expect((await read('evaluation_runs')).lines[0].source_evaluation_run_id).toBeNull();
  });

  test('are listed by evaluation, model and id, the oldest first [evaluations 75 76]', async () => {
    const first = await startRun();
    const second = await startRun({ model: 'other' });
    const third = await startRun();
    const listed = async (query: string) =>
      (await read(`evaluation_runs?${query}`)).lines.map((run) => run.evaluation_run_id);
    expect(await listed('')).toEqual([first, second, third]);
    expect(await listed(`evaluations=${encodeURIComponent(evaluation)}&models=other`)).toEqual([second]);
    expect(await listed('evaluations=unknown')).toEqual([]);
    expect(await listed(`evaluation_run_ids=${third}&evaluation_run_ids=${first}`)).toEqual([first, third]);
    expect(await listed('limit=1&offset=1')).toEqual([second]);
  });

  test('recorded by an SDK can be read, but are listed only with a filter [evaluations 77 78]', async () => {
    const [id] = await logCalls(server, project, [
      { op_name: 'Evaluation.evaluate', inputs: { self: evaluation, model }, exception: 'it failed' },
    ]);
    expect((await read(`evaluation_runs/${id}`)).json).toMatchObject({ evaluation, model, status: 'failed' });
    expect((await read('evaluation_runs')).text).toBe('');
    for (const filter of [`evaluation_run_ids=${id}`, `evaluations=${evaluation}`, `models=${model}&models=other`]) {
      expect((await read(`evaluation_runs?${filter}`)).lines).toMatchObject([
        { evaluation_run_id: id, evaluation, model },
      ]);
    }
    expect((await read(`evaluation_runs?evaluations=${evaluation}&models=other`)).text).toBe('');
    expect((await read(`evaluation_runs?evaluations=${evaluation}&offset=1`)).text).toBe('');
  });

  test('recorded by an SDK have the predictions and scores of their trials', async () => {
    const op = (name: string) => `weave:///${project}/op/${name}:${'1'.repeat(43)}`;
    const [run] = await logCalls(server, project, [
      { op_name: op('Evaluation.evaluate'), inputs: { self: evaluation, model } },
    ]);
    const inRun = { trace_id: run, parent_id: run, inputs: { self: evaluation, model } };
    const trials = await logCalls(server, project, [
      { ...inRun, op_name: op('Evaluation.predict_and_score'), output: { output: 1, scores: { exact: true, Len: 2 } } },
      { ...inRun, op_name: op('Evaluation.predictAndScore'), output: { scores: { exact: false } } },
      { ...inRun, op_name: op('Evaluation.summarize') },
    ]);
    let seconds = 10;
    const inside = (trial: number) => ({
      ...{ trace_id: run, parent_id: trials[trial] },
      ...{ started_at: `2024-01-01T00:00:${seconds++}Z`, ended_at: '2024-01-01T00:01:00Z' },
    });
    const [first, second, exact, len, third] = await logCalls(server, project, [
      { ...inside(0), op_name: op('m1.predict'), inputs: { self: model, q: 'a' }, output: 1 },
      { ...inside(1), op_name: op('predict'), inputs: { arg0: { q: 'b' } }, output: 2 },
      { ...inside(0), op_name: op('exact'), inputs: { output: 1 }, output: true },
      { ...inside(0), op_name: op('Len.score'), inputs: { self: scorer }, output: 2 },
      { ...inside(1), op_name: op('exact'), inputs: {}, output: false },
      { ...inside(1), op_name: op('helper'), inputs: {}, output: 5 },
    ]);
    const of = { evaluation_run_id: run };
    expect((await read(`predictions?evaluation_run_id=${run}`)).lines).toMatchObject([
      { ...of, prediction_id: first, model, inputs: { q: 'a' }, output: 1 },
      { ...of, prediction_id: second, model, inputs: { arg0: { q: 'b' } }, output: 2 },
    ]);
    expect((await read(`predictions?evaluation_run_id=${run}&offset=1&limit=1`)).lines).toMatchObject([
      { prediction_id: second },
    ]);
    expect((await read(`predictions/${second}`)).json).toMatchObject({ ...of, model });
    expect((await read(`scores?evaluation_run_id=${run}`)).lines).toMatchObject([
      { ...of, score_id: exact, scorer: op('exact'), value: true },
      { ...of, score_id: len, scorer, value: 2 },
      { ...of, score_id: third, scorer: op('exact'), value: false },
    ]);
    expect((await read(`scores/${third}`)).json).toMatchObject({ ...of, scorer: op('exact') });
    expect((await read(`scores?evaluation_run_id=${run}&limit=-1`)).status).toBe(400);
    expect((await read('scores')).text).toBe('');
  });

  test('that are unknown are not found, nor finished [evaluations 79 83]', async () => {
    const unknown = randomUUID();
    const missing = await read(`evaluation_runs/${unknown}`);
    expect([missing.status, missing.json.reason]).toEqual([404, `Evaluation run ${unknown} not found`]);
    expect((await finish(`evaluation_runs/${unknown}`)).status).toBe(404);
  });

  test('come to the means of their scores when they are finished [evaluations 80 84 85]', async () => {
    const run = await startRun();
    for (const [i, value] of [1.0, 0.0, 0.5].entries()) {
      const prediction = await predict({ evaluation_run_id: run, output: i });
      await score(prediction, value, { evaluation_run_id: run });
      await score(prediction, { ok: true }, { evaluation_run_id: run, scorer: scorer.replace('acc', 'dict') });
      await finish(`predictions/${prediction}`);
    }
    expect((await finish(`evaluation_runs/${run}`, { summary: { x: 1 } })).json).toEqual({ success: true });
    const output = { acc: { mean: 0.5 }, output: { mean: 1 } };
    expect((await call(run)).output).toEqual(output);
    const { calls } = await queryCalls(server, project, { filter: { parent_ids: [run] } });
    const summarize = calls.filter((each) => each.op_name === 'Evaluation.summarize');
    expect(summarize).toMatchObject([{ output, inputs: { self: evaluation } }]);
    expect((await read(`evaluation_runs/${run}`)).json).toMatchObject({
      status: 'completed',
      summary: { x: 1, weave: { status: 'success' } },
    });
  });

  test('may be finished without a summary, and twice [evaluations 81 82]', async () => {
    const run = await startRun();
    expect((await finish(`evaluation_runs/${run}`)).json).toEqual({ success: true });
    const { ended_at } = await call(run);
    expect((await finish(`evaluation_runs/${run}`, { summary: { late: 1 } })).json).toEqual({ success: true });
    expect(await call(run)).toMatchObject({ ended_at, summary: expect.not.objectContaining({ late: 1 }) });
    const { calls } = await queryCalls(server, project, { filter: { parent_ids: [run] } });
    expect(calls).toHaveLength(1);
  });

  test('are deleted with all they hold [evaluations 86 87 88]', async () => {
    const run = await startRun();
    const prediction = await predict({ evaluation_run_id: run });
    expect((await remove(`evaluation_runs?evaluation_run_ids=${run}`)).json).toEqual({ num_deleted: 3 });
    expect((await read(`predictions/${prediction}`)).status).toBe(404);
    expect((await remove('evaluation_runs')).status).toBe(422);
    const many = Array.from({ length: 1001 }, (_, i) => `evaluation_run_ids=r${i}`).join('&');
    expect((await remove(`evaluation_runs?${many}`)).status).toBe(413);
  });
});

describe('predictions', () => {
  test('of their own are finished calls [evaluations 89 92 94 95 96]', async () => {
    const id = await predict({ output: null, model: 'notaref' });
    expect(await call(id)).toMatchObject({
      parent_id: null,
      trace_id: id,
      output: null,
      inputs: { inputs: { q: 'a' } },
    });
    expect((await call(id)).op_name).toContain('/op/Model.predict:');
    const answer = await read(`predictions/${id}`);
    expect(answer.json).toEqual({
      ...{ prediction_id: id, model: 'notaref', inputs: { q: 'a' }, output: null, evaluation_run_id: null },
      wb_user_id: expect.any(String),
    });
    expect((await server.post(at('predictions'), { model, inputs: {} })).status).toBe(422);
  });

  test('of a run are part of a trial [evaluations 90 91 108]', async () => {
    const run = await startRun();
    const spans = [{ trace_id: 't', span_id: 's' }];
    const id = await predict({ evaluation_run_id: run, genai_span_ref: spans });
    const prediction = await call(id);
    expect(prediction.op_name).toContain('/op/m1.predict:');
    expect(await call(prediction.parent_id)).toMatchObject({
      ...{ parent_id: run, trace_id: run, ended_at: null, inputs: { self: evaluation, model, example: { q: 'a' } } },
      attributes: { weave: { predict_call_id: id, genai_span_ref: spans } },
    });
    const { json } = await server.post(at('eval_results/query'), { evaluation_run_ids: [run] });
    expect(json.rows[0].evaluations[0].trials[0]).toMatchObject({ predict_call_id: id, genai_span_ref: spans });
  });

  test('of an unknown run are refused [evaluations 93]', async () => {
    const { status } = await server.post(at('predictions'), {
      ...{ model, inputs: {}, output: 1, evaluation_run_id: randomUUID() },
    });
    expect(status).toBe(404);
  });

  test('are listed by run [evaluations 97]', async () => {
    const run = await startRun();
    const first = await predict({ evaluation_run_id: run });
    const alone = await predict();
    const second = await predict({ evaluation_run_id: run });
    const listed = async (query: string) => (await read(`predictions${query}`)).lines.map((line) => line.prediction_id);
    expect(await listed(`?evaluation_run_id=${run}`)).toEqual([first, second]);
    expect(await listed('')).toEqual([first, alone, second]);
    expect(await listed('?limit=1')).toEqual([first]);
  });

  test('give their trial the scores so far when they are finished, and stay as they are [evaluations 103 104 106 107]', async () => {
    const run = await startRun();
    const id = await predict({ evaluation_run_id: run });
    const { parent_id: trial } = await call(id);
    await score(id, 0.5, { evaluation_run_id: run });
    expect((await finish(`predictions/${id}`, '')).json).toEqual({ success: true });
    expect((await call(trial)).output).toEqual({ output: 'A', scores: { acc: 0.5 }, model_latency: { mean: 0 } });
    const { ended_at } = await call(trial);
    await score(id, 'late', { evaluation_run_id: run, scorer: scorer.replace('acc', 'other') });
    await finish(`predictions/${id}`);
    expect(await call(trial)).toMatchObject({ ended_at, output: { output: 'A', scores: { acc: 0.5, other: 'late' } } });
    expect((await read(`predictions/${id}`)).json.output).toBe('A');
  });

  test('that are unknown cannot be finished [evaluations 105]', async () => {
    expect((await finish(`predictions/${randomUUID()}`)).status).toBe(404);
  });

  test('made by an SDK read the same', async () => {
    const [id] = await logCalls(server, project, [
      { op_name: 'm1.predict', inputs: { self: model, q: 'b' }, output: 'B' },
    ]);
    expect((await read(`predictions/${id}`)).json).toMatchObject({ model, inputs: { q: 'b' }, output: 'B' });
  });

  test('are deleted without their scores [evaluations 109]', async () => {
    const run = await startRun();
    const id = await predict({ evaluation_run_id: run });
    const scored = await score(id, 1, { evaluation_run_id: run });
    expect((await remove(`predictions?prediction_ids=${id}`)).json).toEqual({ num_deleted: 1 });
    expect((await read(`predictions/${id}`)).status).toBe(404);
    expect((await read(`scores/${scored}`)).json).toMatchObject({ value: 1, scorer, evaluation_run_id: run });
  });
});

describe('scores', () => {
  test('are calls beside the prediction, and feedback on it [evaluations 98 99]', async () => {
    const run = await startRun();
    const prediction = await predict({ evaluation_run_id: run });
    const id = await score(prediction, { ok: true }, { evaluation_run_id: run });
    expect(await call(id)).toMatchObject({
      parent_id: (await call(prediction)).parent_id,
      inputs: { self: scorer, inputs: { q: 'a' }, output: 'A' },
      output: { ok: true },
    });
    const { json } = await server.post('/feedback/query', { project_id: project });
    expect(json.result).toMatchObject([
      {
        ...{ weave_ref: `weave:///${project}/call/${prediction}`, feedback_type: 'wandb.runnable.acc' },
        ...{ payload: { output: { ok: true } }, runnable_ref: scorer },
      },
    ]);
  });

  test.each([[{ ok: true }], ['text'], [0.1], [false]])('may be any value: %j [evaluations 100]', async (value) => {
    const id = await score(await predict(), value);
    expect((await read(`scores/${id}`)).json).toMatchObject({ score_id: id, value, evaluation_run_id: null });
  });

  test('that are null read as 0.0 [evaluations 100]', async () => {
    const id = await score(await predict(), null);
    expect((await read(`scores/${id}`)).text).toContain('"value":0.0');
  });

  test('of no scorer or no prediction are refused [evaluations 101 102]', async () => {
    const give = (more: object) =>
      server.post(at('scores'), { scorer, value: 1, prediction_id: randomUUID(), ...more });
    expect((await give({ scorer: 'nonsense' })).status).toBe(400);
    expect((await give({})).status).toBe(404);
  });

  test('are listed by run', async () => {
    const run = await startRun();
    const prediction = await predict({ evaluation_run_id: run });
    const inRun = await score(prediction, 1, { evaluation_run_id: run });
    const alone = await score(prediction, 2);
    const listed = async (query: string) => (await read(`scores${query}`)).lines.map((line) => line.score_id);
    expect(await listed(`?evaluation_run_id=${run}`)).toEqual([inRun]);
    expect(await listed('')).toEqual([inRun, alone]);
  });
});

test('a request that is repeated makes nothing twice', async () => {
  const body = { evaluation, model };
  const headers = { 'x-weave-retry-id': '01990000-0000-7000-8000-000000000001' };
  const ids = await Promise.all(
    [1, 2].map(async () => (await server.post(at('evaluation_runs'), body, { headers })).json),
  );
  expect(ids[0]).toEqual(ids[1]);
  expect((await read('evaluation_runs')).lines).toHaveLength(1);
  expect(completeOf(project).id).not.toBe(ids[0].evaluation_run_id);
});
