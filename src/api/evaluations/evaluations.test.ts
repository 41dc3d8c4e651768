import { v7 as uuidv7 } from 'uuid';
import { expect, test, vi } from 'vitest';
import { completeOf, startOf } from '../testing/calls.ts';
import { testServer } from '../testing/server.ts';

const server = await testServer();

const waiting = { timeout: 30_000, interval: 50 };

async function publish(project: string, name: string, val: object): Promise<string> {
  const { json } = await server.post('/obj/create', { obj: { project_id: project, object_id: name, val } });
  return `weave:///${project}/object/${name}:${json.digest}`;
}

const ofClass = (name: string, ...bases: string[]) => ({ _type: name, _class_name: name, _bases: bases });

async function publishDataset(project: string, rows: object[]): Promise<string> {
  const { json } = await server.post('/table/create', { table: { project_id: project, rows } });
  const fields = { name: 'questions', rows: `weave:///${project}/table/${json.digest}` };
  return publish(project, 'questions', { ...ofClass('Dataset', 'Object', 'BaseModel'), ...fields });
}

const publishModel = (project: string, params: object = {}, llm_model_id = 'heddle/tiny') =>
  publish(project, 'tiny', {
    ...ofClass('LLMStructuredCompletionModel', 'Model', 'Object', 'BaseModel'),
    name: null,
    llm_model_id,
    default_params: {
      messages_template: [{ role: 'user', content: '{question}' }],
      temperature: 0,
      max_tokens: 4,
      ...params,
    },
  });

const publishRule = (project: string, name: string, fields: object) =>
  publish(project, name, { ...ofClass('RuleScorer', 'Scorer', 'Object', 'BaseModel'), name, ...fields });

const publishEvaluation = (project: string, dataset: string, scorers: string[], fields: object = {}) =>
  publish(project, 'quiz', {
    ...ofClass('Evaluation', 'Object', 'BaseModel'),
    ...{ name: 'quiz', dataset, scorers, trials: 1, evaluation_name: null, preprocess_model_input: null },
    ...fields,
  });

async function start(project: string, evaluation_ref: string, model_ref: string): Promise<string> {
  const { status, json } = await server.post('/evaluations/evaluate_model', {
    project_id: project,
    evaluation_ref,
    model_ref,
  });
  expect(status).toBe(200);
  return json.call_id;
}

const statusOf = async (project: string, call_id: string) =>
  (await server.post('/evaluations/status', { project_id: project, call_id })).json.status;

/** Waits for the end of an evaluation; `seen` has every status on the way. */
async function end(project: string, id: string, seen: any[] = []) {
  return vi.waitFor(async () => {
    const status = await statusOf(project, id);
    seen.push(status);
    expect(status.code).toMatch(/complete|failed/);
    return status;
  }, waiting);
}

const callsOf = async (project: string, body: object = {}) =>
  (await server.post('/calls/stream_query', { project_id: project, ...body })).lines;
const opOf = (call: any) => call.op_name.match(/op\/(.*):/)?.[1] ?? call.op_name;

const questions = [
  { question: 'What is the capital of France?', expected: 'Paris' },
  { question: 'What is 2 + 2?', expected: '4' },
  { question: 'Say hello.', expected: 'hello' },
];

async function tinyQuiz(project: string, scorers: string[], fields: object = {}, rows: object[] = questions) {
  const evaluation = await publishEvaluation(project, await publishDataset(project, rows), scorers, fields);
  return start(project, evaluation, await publishModel(project));
}

test('evaluates a model: rows become trials with predictions and scores, and a summary [evaluations 136 139 141]', async () => {
  const project = await server.newProject();
  const exact = await publishRule(project, 'exact', { rule: 'exact_match' });
  const similar = await publishRule(project, 'similar', { rule: 'text_similarity' });
  const id = await tinyQuiz(project, [exact, similar], { trials: 2 });
  const seen: any[] = [];
  const status = await end(project, id, seen);
  expect(status).toMatchObject({ code: 'complete' });
  expect(status.output).toMatchObject({
    exact: { true_count: expect.any(Number), true_fraction: expect.any(Number) },
    similar: { mean: expect.any(Number) },
    model_latency: { mean: expect.any(Number) },
  });
  const order = ['not_found', 'running', 'complete'];
  expect(seen.map(({ code }) => order.indexOf(code))).toEqual(seen.map(({ code }) => order.indexOf(code)).sort());
  for (const { code, completed_rows, total_rows } of seen) {
    if (code !== 'running') continue;
    expect(completed_rows).toBeLessThanOrEqual(total_rows);
    expect(total_rows).toBeGreaterThanOrEqual(3);
  }

  const calls = await callsOf(project);
  const root = calls.find((call) => call.id === id)!;
  expect(opOf(root)).toBe('Evaluation.evaluate');
  expect(root).toMatchObject({
    trace_id: id,
    parent_id: null,
    display_name: expect.stringMatching(/^eval-\d{4}-\d{2}-\d{2}-[a-z]+-[a-z]+$/),
    attributes: { _weave_eval_meta: { evaluate_model_worker: true } },
    output: status.output,
    exception: null,
  });
  const trials = calls.filter((call) => opOf(call) === 'Evaluation.predict_and_score');
  expect(trials).toHaveLength(6);
  for (const trial of trials) {
    const children = calls.filter((call) => call.parent_id === trial.id);
    expect(children.map(opOf).sort()).toEqual(['LLMStructuredCompletionModel.predict', 'exact.score', 'similar.score']);
    const predict = children.find((call) => opOf(call).endsWith('.predict'))!;
    expect(trial).toMatchObject({
      parent_id: id,
      trace_id: id,
      inputs: { example: expect.stringMatching(/\/object\/questions:\w+\/attr\/rows\/id\/\w+$/) },
      output: {
        output: predict.output,
        scores: { exact: expect.any(Boolean), similar: expect.any(Number) },
        model_latency: expect.any(Number),
      },
    });
    expect(predict.summary.usage['heddle/tiny']).toMatchObject({ requests: 1, completion_tokens: expect.any(Number) });
  }
  expect(calls.filter((call) => opOf(call) === 'Evaluation.summarize')).toHaveLength(1);

  const predicts = calls.filter((call) => opOf(call).endsWith('.predict')).map((call) => call.id);
  const feedback = (await server.post('/feedback/query', { project_id: project })).json.result;
  expect(feedback).toHaveLength(12);
  for (const each of feedback) {
    expect(each.feedback_type).toMatch(/^wandb\.runnable\.(exact|similar)$/);
    expect([exact, similar]).toContain(each.runnable_ref);
    expect(predicts).toContain(each.weave_ref.split('/').at(-1));
    expect(calls.map((call) => call.id)).toContain(each.call_ref.split('/').at(-1));
  }
});

test('eval_results and the /v2 paths return its results', async () => {
  const project = await server.newProject();
  const id = await tinyQuiz(project, [await publishRule(project, 'exact', { rule: 'exact_match' })]);
  await end(project, id);
  const { json } = await server.post(`/v2/${project}/eval_results/query`, {
    evaluation_call_ids: [id],
    include_summary: true,
    include_raw_data_rows: true,
    resolve_row_refs: true,
  });
  expect(json.total_rows).toBe(3);
  expect(json.rows.map((row: any) => row.raw_data_row)).toEqual(expect.arrayContaining(questions));
  const [trial] = json.rows[0].evaluations[0].trials;
  expect(trial).toMatchObject({ scores: { exact: expect.any(Boolean) }, total_tokens: expect.any(Number) });
  expect(Object.keys(trial.scorer_call_ids)).toEqual(['exact']);
  expect(json.summary.evaluations[0]).toMatchObject({ trial_count: 3, predict_total_tokens: expect.any(Number) });
  const runs = (await server.get(`/v2/${project}/evaluation_runs`)).lines;
  expect(runs).toMatchObject([{ evaluation_run_id: id, status: 'completed' }]);
  expect((await server.get(`/v2/${project}/predictions?evaluation_run_id=${id}`)).lines).toHaveLength(3);
  expect((await server.get(`/v2/${project}/scores?evaluation_run_id=${id}`)).lines).toHaveLength(3);
});

test('a judge receives the output and the row, and its response is the score', async () => {
  const project = await server.newProject();
  const judge = await publish(project, 'judge', {
    ...ofClass('LLMAsAJudgeScorer', 'Scorer', 'Object', 'BaseModel'),
    name: null,
    model: { llm_model_id: 'heddle/tiny', default_params: { temperature: 0, max_tokens: 3 } },
    scoring_prompt: 'Is {output} the same as {reference}, for {inputs[question]}?',
    column_map: { reference: 'expected' },
  });
  const id = await tinyQuiz(project, [judge]);
  expect(await end(project, id)).toMatchObject({ code: 'complete' });
  const scores = (await callsOf(project)).filter((call) => opOf(call) === 'judge.score');
  expect(scores).toHaveLength(3);
  for (const score of scores) {
    expect(score.output).toEqual(expect.any(String));
    expect(score.summary.usage['heddle/tiny'].prompt_tokens).toBeGreaterThan(10);
  }
});

test('a judge on heddle’s own engine always answers with JSON if its format asks for it', async () => {
  const project = await server.newProject();
  const judgeOf = (response_format: string, max_tokens: number) =>
    publish(project, `judge-${response_format}-${max_tokens}`, {
      ...ofClass('LLMAsAJudgeScorer', 'Scorer', 'Object', 'BaseModel'),
      name: null,
      model: { llm_model_id: 'heddle/tiny', default_params: { temperature: 1.5, max_tokens, response_format } },
      scoring_prompt: 'Is {output} the same as {expected}? Answer with JSON.',
    });
  const judges = [await judgeOf('json_object', 3), await judgeOf('json_object', 40), await judgeOf('json_schema', 3)];
  const id = await tinyQuiz(project, judges);
  expect(await end(project, id)).toMatchObject({ code: 'complete' });
  const scores = (await callsOf(project)).filter((call) => opOf(call).startsWith('judge-'));
  expect(scores.map((call) => [call.exception, typeof call.output])).toEqual(Array(9).fill([null, 'object']));
});

test('if the prompt of a judge cannot be rendered, only this score fails', async () => {
  const project = await server.newProject();
  const judge = await publish(project, 'judge', {
    ...ofClass('LLMAsAJudgeScorer', 'Scorer', 'Object', 'BaseModel'),
    model: { llm_model_id: 'heddle/tiny', default_params: {} },
    scoring_prompt: 'Is {output} the same as {wanted}?',
  });
  const exact = await publishRule(project, 'exact', { rule: 'exact_match' });
  const id = await tinyQuiz(project, [judge, exact]);
  expect(await end(project, id)).toMatchObject({ code: 'complete', output: { judge: null } });
  const calls = await callsOf(project);
  const failed = calls.filter((call) => opOf(call) === 'judge.score');
  expect(failed.map((call) => call.exception)).toEqual(
    Array(3).fill(expect.stringContaining("variable 'wanted' not found")),
  );
  expect(calls.filter((call) => opOf(call) === 'exact.score' && call.exception === null)).toHaveLength(3);
  const trial = calls.find((call) => opOf(call) === 'Evaluation.predict_and_score')!;
  expect(Object.keys(trial.output.scores)).toEqual(['exact']);
});

test('only rows on which the model fails have no output and no scores', async () => {
  const project = await server.newProject();
  const exact = await publishRule(project, 'exact', { rule: 'exact_match' });
  const id = await tinyQuiz(project, [exact], {}, [...questions, { other: 'a row without a question' }]);
  const { output } = await end(project, id);
  expect(output.exact.true_fraction).toBeCloseTo(output.exact.true_count / 4);
  const calls = await callsOf(project);
  const trials = calls.filter((call) => opOf(call) === 'Evaluation.predict_and_score');
  expect(
    trials.filter((call) => call.output.output === null && Object.keys(call.output.scores).length === 0),
  ).toHaveLength(1);
  expect(calls.filter((call) => call.exception !== null).map((call) => call.exception)).toEqual([
    expect.stringContaining("variable 'question' not found"),
  ]);
});

test('rows that failed are in the denominator of every rate, and say why they failed', async () => {
  const project = await server.newProject();
  const answers = await publishRule(project, 'answers', { rule: 'regex', pattern: '' });
  const similar = await publishRule(project, 'similar', { rule: 'text_similarity' });
  const failing = Array.from({ length: 9 }, (_, i) => ({ other: i, expected: '' }));
  const id = await tinyQuiz(project, [answers, similar], {}, [...questions.slice(0, 1), ...failing]);
  const { output } = await end(project, id);
  expect(output.answers).toEqual({ true_count: 1, true_fraction: 0.1 });
  const { json } = await server.post(`/v2/${project}/eval_results/query`, {
    evaluation_call_ids: [id],
    include_summary: true,
  });
  const [{ scorer_stats, failures }] = json.summary.evaluations;
  const [rate, mean] = scorer_stats;
  expect(rate).toMatchObject({ trial_count: 1, failed_count: 9, pass_true_count: 1, pass_rate: 0.1, count: 10 });
  expect(rate.interval_95[0]).toBeLessThan(0.1);
  expect(rate.interval_95[1]).toBeLessThan(0.5);
  expect(mean).toMatchObject({ trial_count: 1, failed_count: 9, numeric_mean: output.similar.mean, count: 1 });
  expect(failures).toEqual({
    predictions: { count: 9, error: expect.stringContaining("variable 'question' not found") },
    scores: { count: 0, error: null },
  });
});

test('a missing expected value fails the score, not the evaluation', async () => {
  const project = await server.newProject();
  const exact = await publishRule(project, 'exact', { rule: 'exact_match', column_map: { expected: 'answer' } });
  const id = await tinyQuiz(project, [exact]);
  expect(await end(project, id)).toMatchObject({ code: 'complete', output: { exact: null } });
  const scores = (await callsOf(project)).filter((call) => opOf(call) === 'exact.score');
  expect(scores[0]!.exception).toContain('the row has no column "answer"');
});

test('the status of an unknown id is not_found [evaluations 137]', async () => {
  const project = await server.newProject();
  expect(await statusOf(project, uuidv7())).toEqual({ code: 'not_found' });
});

test('rejects the status of a call that is not an evaluation [evaluations 138]', async () => {
  const project = await server.newProject();
  const call = completeOf(project, {});
  await server.post(`/v2/${project}/calls/complete`, { batch: [call] });
  const answer = await server.post('/evaluations/status', { project_id: project, call_id: call.id });
  expect(answer).toMatchObject({ status: 400, json: { reason: 'Call is not an evaluation' } });
});

test("the status of an SDK's evaluation counts its trials while it runs [evaluations 139]", async () => {
  const project = await server.newProject();
  const evaluation = await publishEvaluation(project, await publishDataset(project, questions), []);
  const id = uuidv7();
  const root = startOf(project, { id, trace_id: id, op_name: 'Evaluation.evaluate', inputs: { self: evaluation } });
  await server.post('/call/start', { start: root });
  expect(await statusOf(project, id)).toEqual({ code: 'running', completed_rows: 0, total_rows: 3 });
  const trial = { parent_id: id, trace_id: id, op_name: 'Evaluation.predict_and_score' };
  await server.post(`/v2/${project}/calls/complete`, { batch: [completeOf(project, trial)] });
  await server.post('/call/start', { start: startOf(project, { ...trial, id: uuidv7() }) });
  expect(await statusOf(project, id)).toEqual({ code: 'running', completed_rows: 1, total_rows: 3 });
  await server.post('/call/end', { end: { project_id: project, id, ended_at: new Date().toISOString(), summary: {} } });
  expect(await statusOf(project, id)).toEqual({ code: 'complete', output: {} });
});

test.each([
  [
    'a scorer written in Python',
    'custom',
    ofClass('MyScorer', 'Scorer', 'Object', 'BaseModel'),
    'of the Python class MyScorer',
  ],
  [
    'an unknown rule',
    'rule',
    { ...ofClass('RuleScorer', 'Scorer', 'Object', 'BaseModel'), rule: 'guess' },
    'The scorer is invalid',
  ],
])('an evaluation with %s fails with a clear error [evaluations 140]', async (_, name, scorer, message) => {
  const project = await server.newProject();
  const id = await tinyQuiz(project, [await publish(project, name, scorer)]);
  expect(await end(project, id)).toEqual({ code: 'failed', error: expect.stringContaining(message) });
  const [root] = await callsOf(project, { filter: { call_ids: [id] } });
  expect(root).toMatchObject({ exception: expect.stringContaining(message) });
});

test('an evaluation with invalid objects fails with an error that names them [evaluations 140]', async () => {
  const project = await server.newProject();
  const dataset = await publishDataset(project, questions);
  const evaluation = await publishEvaluation(project, dataset, []);
  const model = await publishModel(project);
  const python = await publish(project, 'mine', ofClass('MyModel', 'Model', 'Object', 'BaseModel'));
  const unknown = await publishModel(project, {}, 'heddle/unknown');
  const [op, missing] = [`weave:///${project}/op/f:abc`, `weave:///${project}/object/quiz:abc`];
  const attempts = [
    [evaluation, python, 'of the Python class MyModel'],
    [evaluation, unknown, 'no model heddle/unknown'],
    [evaluation, 'nonsense', 'Invalid ref "nonsense"'],
    [evaluation, op, 'is an op, which the server cannot run because its code is Python'],
    [missing, model, `${missing} not found`],
    [dataset, model, 'is not an evaluation that can be run'],
    [await publishEvaluation(project, model, []), model, 'is not a dataset'],
    [await publishEvaluation(project, dataset, [], { preprocess_model_input: op }), model, 'preprocess_model_input'],
  ] as const;
  for (const [evaluationRef, modelRef, message] of attempts) {
    const id = await start(project, evaluationRef, modelRef);
    expect(await end(project, id)).toEqual({ code: 'failed', error: expect.stringContaining(message) });
  }
});

test('rejects evaluate_model without a model [evaluations 142]', async () => {
  const project = await server.newProject();
  const answer = await server.post('/evaluations/evaluate_model', { project_id: project, evaluation_ref: 'x' });
  expect(answer).toMatchObject({ status: 422, json: { detail: [{ loc: ['body', 'model_ref'] }] } });
});

test('a repeated request starts one evaluation', async () => {
  const project = await server.newProject();
  const evaluation_ref = await publishEvaluation(project, await publishDataset(project, questions), []);
  const body = { project_id: project, evaluation_ref, model_ref: await publishModel(project) };
  const headers = { 'x-weave-retry-id': uuidv7() };
  const first = await server.post('/evaluations/evaluate_model', body, { headers });
  const second = await server.post('/evaluations/evaluate_model', body, { headers });
  expect(second.json).toEqual(first.json);
  await end(project, first.json.call_id);
  expect((await callsOf(project)).filter((call) => opOf(call) === 'Evaluation.evaluate')).toHaveLength(1);
});

test('a deleted evaluation stops', async () => {
  const project = await server.newProject();
  const rows = Array.from({ length: 300 }, (_, i) => ({ question: `What is ${i} + 1?`, expected: String(i + 1) }));
  const id = await tinyQuiz(project, [], {}, rows);
  await vi.waitFor(async () => expect((await statusOf(project, id)).completed_rows).toBeGreaterThan(0), waiting);
  await server.post('/calls/delete', { project_id: project, call_ids: [id] });
  let before = -1;
  await vi.waitFor(
    async () => {
      const count = (await callsOf(project, { columns: ['id'] })).length;
      const isStill = count === before;
      before = count;
      expect(isStill).toBe(true);
    },
    { timeout: 30_000, interval: 1500 },
  );
  expect(before).toBeLessThan(600);
  expect(await statusOf(project, id)).toEqual({ code: 'not_found' });
});

const feedbackOn = async (project: string, callId: string) => {
  const query = { $expr: { $eq: [{ $getField: 'weave_ref' }, { $literal: `weave:///${project}/call/${callId}` }] } };
  return (await server.post('/feedback/query', { project_id: project, query })).json.result;
};

test('scores calls that were traced before, as calls and as feedback [evaluations 143]', async () => {
  const project = await server.newProject();
  const calls = ['yes', 'no'].map((output) => completeOf(project, { inputs: { expected: 'yes' }, output }));
  await server.post(`/v2/${project}/calls/complete`, { batch: calls });
  const exact = await publishRule(project, 'exact', { rule: 'exact_match' });
  const long = await publishRule(project, 'long', { rule: 'regex', pattern: '...' });
  const body = { project_id: project, call_ids: calls.map(({ id }) => id), scorer_refs: [exact, long] };
  expect(await server.post('/calls/score', body)).toMatchObject({ status: 200, json: {} });
  for (const [i, { id }] of calls.entries()) {
    const feedback = await vi.waitFor(async () => {
      const found = await feedbackOn(project, id);
      expect(found).toHaveLength(2);
      return found;
    }, waiting);
    const exactly = feedback.find((each: any) => each.feedback_type === 'wandb.runnable.exact');
    expect(exactly).toMatchObject({ payload: { output: i === 0 }, runnable_ref: exact, trigger_ref: null });
    const scoreId = exactly.call_ref.split('/').at(-1);
    const [score] = await vi.waitFor(async () => {
      const found = await callsOf(project, { filter: { call_ids: [scoreId] } });
      expect(found).toHaveLength(1);
      return found;
    }, waiting);
    expect(score).toMatchObject({
      parent_id: null,
      trace_id: scoreId,
      output: i === 0,
      attributes: { weave: { kind: 'scorer' } },
      inputs: { self: exact, output: i === 0 ? 'yes' : 'no', inputs: { expected: 'yes' } },
    });
  }
});

test('scorers tell numbers apart that JavaScript does not, and see their digits', async () => {
  const project = await server.newProject();
  const rawJson = (JSON as any).rawJSON as (text: string) => unknown;
  const inputs = { expected: rawJson('107505301260286112'), price: rawJson('1.10') };
  const call = completeOf(project, { inputs, output: rawJson('107505301260286111') });
  await server.post(`/v2/${project}/calls/complete`, { batch: [call] });
  const grade = (name: string, input: string, reference: string) =>
    publish(project, name, {
      ...ofClass('OpenAIGrader', 'Scorer', 'Object', 'BaseModel'),
      grader: { type: 'string_check', name, operation: 'eq', input, reference },
    });
  const scorers = {
    equal: await publishRule(project, 'equal', { rule: 'exact_match' }),
    close: await publishRule(project, 'close', { rule: 'numeric', tolerance: 2 }),
    graded: await grade('graded', '{{ sample.output_text }}', '107505301260286111'),
    priced: await grade('priced', '{{ item.price }}', '1.10'),
  };
  const body = { project_id: project, call_ids: [call.id], scorer_refs: Object.values(scorers) };
  await server.post('/calls/score', body);
  await vi.waitFor(async () => {
    const found = await feedbackOn(project, call.id);
    const scores = found.map(({ feedback_type, payload }: any) => [feedback_type.split('.').at(-1), payload.output]);
    expect(Object.fromEntries(scores)).toEqual({
      equal: false,
      close: true,
      graded: { score: 1, passed: true },
      priced: { score: 1, passed: true },
    });
  }, waiting);
});

test('scores a call that arrives after the request [evaluations 143]', async () => {
  const project = await server.newProject();
  const call = completeOf(project, { output: 'yes' });
  const scorer = await publishRule(project, 'yes', { rule: 'regex', pattern: 'yes' });
  await server.post('/calls/score', { project_id: project, call_ids: [call.id], scorer_refs: [scorer] });
  await server.post(`/v2/${project}/calls/complete`, { batch: [call] });
  await vi.waitFor(async () => expect(await feedbackOn(project, call.id)).toHaveLength(1), waiting);
});

test('accepts an empty list of calls, and unknown calls [evaluations 144]', async () => {
  const project = await server.newProject();
  const score = (call_ids: string[], scorer_refs: string[]) =>
    server.post('/calls/score', { project_id: project, call_ids, scorer_refs });
  expect(await score([], [])).toMatchObject({ status: 200, json: {} });
  expect(await score([uuidv7()], ['nonsense'])).toMatchObject({ status: 200, json: {} });
  expect(await score(Array(10_001).fill('a'), ['x'])).toMatchObject({ status: 413 });
});
