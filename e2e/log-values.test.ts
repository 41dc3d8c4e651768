import { rmSync } from 'node:fs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Heddle, startHeddle } from './harness/heddle.ts';
import { testDataDirectory } from './harness/heddle-for-file.ts';

const data = testDataDirectory();
let heddle: Heddle;
beforeAll(async () => {
  heddle = await startHeddle(data, { HEDDLE_LOG_LEVEL: 'trace' });
});
afterAll(async () => {
  await heddle.end('SIGTERM');
  rmSync(data, { recursive: true, force: true });
});

const value = 'MarkerOfUser';
const time = '2026-01-01T00:00:00Z';
const call = { id: value, trace_id: value, op_name: 'f', started_at: time, attributes: {}, inputs: {} };
const span = { traceId: value, spanId: value, name: value, startTimeUnixNano: value };

/** Requests that are refused, wholly or in part, with answers that may quote the value. */
const bodies = (project_id: string): [path: string, body: unknown][] => {
  const batch = [
    ...[{ wb_run_id: value }, { op_name: `weave:///${value}` }, { display_name: value.repeat(500) }],
    ...[
      { started_at: value },
      { inputs: value },
      { [value]: 1 },
      { summary: { usage: { [value]: { requests: value } } } },
    ],
  ].map((more) => ({
    mode: 'start',
    req: { start: { ...call, project_id, id: undefined, trace_id: undefined, ...more } },
  }));
  return [
    ...batch.map((item): [string, unknown] => ['/call/upsert_batch', { batch: [item] }]),
    ['/call/upsert_batch', { batch: [{ mode: 'start', req: { start: { ...call, project_id } } }] }],
    ['/call/start', { start: { ...call, project_id } }],
    [
      `/v2/${project_id}/calls/complete`,
      { batch: [{ ...call, project_id, ended_at: time, summary: {}, wb_run_id: value }] },
    ],
    ['/calls/stream_query', { project_id, query: { $expr: { $eq: [{ $getField: value }, { $literal: value }] } } }],
    ['/calls/stream_query', `{"project_id": "${project_id}", "filter": ${value}`],
    ['/otel/v1/traces', { resourceSpans: [{ scopeSpans: [{ scope: { name: value }, spans: [span] }] }] }],
    ['/otel/v1/traces', `{"resourceSpans": "${value}`],
    ['/obj/create', { obj: { project_id, object_id: `${value}/`, val: {}, builtin_object_class: value } }],
    ['/obj/read', { project_id, object_id: value, digest: value }],
    ['/feedback/create', { project_id, weave_ref: value, feedback_type: value, payload: {} }],
    ['/cost/create', { project_id, costs: { [value]: { prompt_token_cost: value } } }],
    ['/graphql', { query: `{ ${value} }` }],
    ['/graphql', { query: 'query Q($n: Int) { viewer { id } }', variables: { n: value } }],
    ['/completions/create', { project_id, inputs: { model: value, messages: [{ role: value, content: value }] } }],
    ['/evaluations/evaluate_model', { project_id, evaluation_ref: value, model_ref: value }],
    ['/calls/score', { project_id, call_ids: [value], scorer_refs: [`weave:///${project_id}/object/${value}:v0`] }],
    ['/v1/chat/completions', { model: value, messages: [{ role: 'user', content: value }] }],
    ['/v1/chat/completions', { messages: value, temperature: value, [value]: value }],
    ['/v1/chat/completions', { messages: [{ role: 'user', content: 'a' }], chat_template: `{{ ${value}() }}` }],
    [
      '/v1/chat/completions',
      { messages: [{ role: 'user', content: 'a' }], structured_outputs: { regex: `(${value}` } },
    ],
    ['/v1/completions', { prompt: 'a', max_tokens: value }],
    ['/v1/responses', { input: [{ type: value }], model: value }],
    ['/v1/embeddings', { input: { [value]: value } }],
    ['/v1/evals', { testing_criteria: [{ type: value }], data_source_config: { type: value } }],
    ['/v1/fine_tuning/jobs', { model: value, training_file: value, suffix: value.repeat(9) }],
    ['/v1/preview/models', { name: `${value}/`, project: value, entity: value, base_model: value }],
    ['/v1/preview/training-jobs', { model_id: value, trajectory_groups: [value] }],
    ['/tokenize', { model: value, prompt: value }],
  ];
};

async function post(path: string, body: unknown, project: string): Promise<number> {
  const headers = {
    authorization: `Bearer ${heddle.key}`,
    'content-type': 'application/json',
    'x-heddle-project': project,
  };
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  const response = await fetch(heddle.url + path, { method: 'POST', headers, body: text });
  await response.text();
  return response.status;
}

test('the log never quotes what a client sent, whatever is wrong with it', async () => {
  const project = heddle.newProject();
  const valid = { ...call, id: undefined, trace_id: undefined, project_id: project };
  expect(await post('/call/start', { start: valid }, project)).toBe(200);
  for (const [path, body] of bodies(project)) {
    expect(await post(path, body, project), `${path} ${JSON.stringify(body)}`).toBeLessThan(500);
  }
  await expect.poll(() => heddle.log(), { timeout: 30_000 }).toContain('calls were not scored');
  expect(
    heddle
      .log()
      .split('\n')
      .filter((line) => line.includes(value)),
  ).toEqual([]);
  expect(heddle.log()).toContain('wb_run_id is not entity/project/run');
});
