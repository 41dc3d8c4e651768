import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { askRunning } from '../admin/client.ts';
import { readConfig } from '../config.ts';
import { endpoints } from '../contract/endpoints.ts';
import { otlpJson } from '../otel/testing/span.ts';
import { completeOf, startOf } from './testing/calls.ts';
import { startTestServer, type TestServer } from './testing/server.ts';

/**
 * No project shows another one's rows. Every route is tried in two ways: with the key of a stranger against the victim's
 * project, and by a user of both projects against the neighbour, with the ids and digests of the victim's rows.
 */

/** Stands in every row of the victim, so that any leak shows. */
const secret = 'the-victims-secret';

let server: TestServer;
let strangersKey: string;
let victim: Rows;
let neighbour: string;

type Rows = {
  project: string;
  callId: string;
  digest: string;
  table: string;
  row: string;
  file: string;
  ref: string;
  priceId: string;
  queue: string;
  item: string;
  trainedModel: string;
  trainingJob: string;
  response: string;
  uploadedFile: string;
  fineTuningJob: string;
  openaiEval: string;
  openaiRun: string;
  tinkerSession: string;
  tinkerRun: string;
  gate: string;
};
/** A request as it is sent: JSON, or a form for uploads. `path` fills the parameters of the endpoint's own path. */
type Request = { path?: string; body?: unknown; form?: Record<string, string>; headers?: Record<string, string> };

beforeAll(async () => {
  server = await startTestServer();
  victim = await writeRows(await server.newProject());
  neighbour = await server.newProject();
  const config = readConfig({ data: server.data }, {});
  await askRunning(config, 'users.create', { name: 'stranger' });
  strangersKey = (await askRunning(config, 'keys.create', { user: 'stranger' }))!.answer.key;
});
afterAll(() => server.close());

async function writeRows(project: string): Promise<Rows> {
  const id = randomUUID();
  const turn = { id, thread_id: secret, turn_id: id };
  const summary = { usage: { [secret]: { requests: 1, total_tokens: 1 } } };
  const call = completeOf(project, { inputs: { secret }, display_name: secret, summary, ...turn });
  await server.post(`/v2/${project}/calls/complete`, { batch: [call] });
  const post = async (path: string, body: unknown) => (await server.post(path, body)).json;
  await post(`/v2/${project}/policies`, { name: 'theirs', reason: secret, ...minePolicy });
  const costs = { [secret]: { prompt_token_cost: 1, completion_token_cost: 1, provider_id: secret } };
  const prices = await post('/cost/create', { project_id: project, costs });
  const note = { ...feedbackOn(project, call.id), id: 'the-victims-feedback', payload: { note: secret } };
  await post('/feedback/create', note);
  const { digest } = await post('/obj/create', { obj: { project_id: project, object_id: 'mine', val: { secret } } });
  await server.post('/objs/mine/aliases', { project_id: project, digest, aliases: [secret] }, { method: 'PUT' });
  await server.post(`/objs/mine/versions/${digest}/tags`, { project_id: project, tags: [secret] }, { method: 'PUT' });
  await post(`/v2/${project}/datasets`, { name: secret, rows: [{ secret }] });
  await post(`/v2/${project}/suites`, { name: 'exam', dataset: secret });
  const { id: gate } = await post(`/v2/${project}/gates`, mineGate);
  await post(`/v2/${project}/loops`, { name: 'theirs', ...mineLoop, approver: 'anyone' });
  await post(`/v2/${project}/loops/theirs/pause`, { reason: secret });
  const table = await post('/table/create', { table: { project_id: project, rows: [{ secret }] } });
  const file = await sendForm('/file/create', { project_id: project, file: secret }, server.key);
  const ref = `weave:///${project}/object/mine:${digest}`;
  const { digest: fileDigest } = JSON.parse(file.text);
  const [[priceId]] = prices.ids;
  const { id: queue } = await post('/annotation_queues', { project_id: project, name: secret, scorer_refs: [] });
  const providerKey = { name: 'VICTIMS_KEY', value: secret, hosts: [`${secret}.example`] };
  await server.post('/secrets', { project_id: project, ...providerKey }, { method: 'PUT' });
  const path = `/annotation_queues/${queue}/items`;
  await post(path, { project_id: project, call_ids: [call.id], display_fields: [secret] });
  const { items } = await post(`${path}/query`, { project_id: project });
  const ids = { callId: call.id, digest, table: table.digest, row: table.row_digests[0], file: fileDigest };
  const [entity, name] = project.split('/');
  const trained = { entity, project: name, name: secret, base_model: 'heddle/tiny' };
  const { id: trainedModel } = await post('/v1/preview/models', trained);
  const { id: trainingJob } = await post('/v1/preview/training-jobs', {
    model_id: trainedModel,
    trajectory_groups: [],
  });
  const headers = { 'X-Heddle-Project': project };
  const training = await sendForm('/v1/files', { purpose: 'fine-tune', file: secret }, server.key, headers);
  const uploadedFile = JSON.parse(training.text).id;
  const tuning = { model: 'heddle/tiny', training_file: uploadedFile, suffix: secret };
  const { id: fineTuningJob } = (await server.post('/v1/fine_tuning/jobs', tuning, { headers })).json;
  const jobs = { trainedModel, trainingJob, uploadedFile, fineTuningJob };
  const asked = { input: secret, max_output_tokens: 1, metadata: { secret } };
  const { id: response } = (await server.post('/v1/responses', asked, { headers })).json;
  const postEval = async (path: string, body: object) =>
    (await server.post(`/v1/evals${path}`, body, { headers })).json;
  const { id: openaiEval } = await postEval('', evalOf(secret));
  const { id: openaiRun } = await postEval(`/${openaiEval}/runs`, evalRunOf(secret));
  const evals = { openaiEval, openaiRun };
  const tinker = await writeTinkerRows(project);
  return { project, gate, ...ids, ...evals, ...tinker, response, ref, priceId, queue, item: items[0].id, ...jobs };
}

/** A session with a sampler and a model in training, of which a state is saved. */
async function writeTinkerRows(project: string): Promise<Pick<Rows, 'tinkerSession' | 'tinkerRun'>> {
  const post = async (path: string, body: object) => (await server.post(`/api/v1/${path}`, body)).json;
  const done = async (promise: { request_id: string }) => post('retrieve_future', promise);
  const { session_id: tinkerSession } = await post('create_session', { project_id: project, display_name: secret });
  const at = { session_id: tinkerSession, base_model: 'heddle/tiny' };
  await post('create_sampling_session', { ...at, sampling_session_seq_id: 0 });
  const lora_config = { rank: 1 };
  const { model_id } = await done(await post('create_model', { ...at, model_seq_id: 0, lora_config }));
  await done(await post('save_weights', { model_id, path: secret }));
  return { tinkerSession, tinkerRun: model_id };
}

/** A request with only a row id: the row determines the project, and callers without access to it get a 404. */
type ById = { byId(rows: Rows): Request };

/** For each route, the request that would reach the victim's rows if `project` were let in. */
const cases: Record<string, ((project: string, rows: Rows) => Request) | ById | 'open' | 'names no project'> = {
  'GET /health': 'open',
  'GET /health/ready': 'open',
  'GET /v1/health': 'open',
  'GET /v1/system-check': 'open',
  'GET /version': 'open',
  'GET /server_info': 'open',
  'GET /openapi.json': 'open',
  'POST /session': 'open',
  'GET /session': 'names no project',
  'DELETE /session': 'open',
  'GET /projects': 'names no project',
  'GET /service/doctor': 'names no project',
  'GET /keys': 'names no project',
  'POST /keys': 'names no project',
  'DELETE /keys/{key_id}': 'names no project',
  'GET /entities/{entity}/members': (project) => ({ path: `${entityOf(project)}/members` }),
  'POST /entities/{entity}/members': (project) => ({
    path: `${entityOf(project)}/members`,
    body: { username: 'newcomer' },
  }),
  'DELETE /entities/{entity}/members/{username}': (project) => ({ path: `${entityOf(project)}/members/newcomer` }),
  'GET /secrets': (project) => ({ path: `/secrets?project_id=${encodeURIComponent(project)}` }),
  'PUT /secrets': (project) => ({ body: { project_id: project, name: 'VICTIMS_KEY', value: 'mine' } }),
  'DELETE /secrets/{name}': (project) => ({
    path: `/secrets/VICTIMS_KEY?project_id=${encodeURIComponent(project)}`,
  }),
  'POST /service/projects_info': (project) => ({ body: { project_ids: [project] } }),
  'POST /call/start': (project, { callId }) => ({ body: { start: startOf(project, { id: callId }) } }),
  'POST /call/end': (project, { callId }) => ({
    body: { end: { project_id: project, id: callId, ended_at: 1, summary: {} } },
  }),
  'POST /call/upsert_batch': (project, { callId }) => ({
    body: { batch: [{ mode: 'start', req: { start: startOf(project, { id: callId }) } }] },
  }),
  'POST /v2/{entity}/{project}/call/start': (project, { callId }) => ({
    path: `/v2/${project}/call/start`,
    body: { start: startOf(project, { id: callId }) },
  }),
  'POST /v2/{entity}/{project}/call/end': (project, { callId }) => ({
    path: `/v2/${project}/call/end`,
    body: { end: { project_id: project, id: callId, ended_at: 1, summary: {} } },
  }),
  'POST /v2/{entity}/{project}/calls/complete': (project, { callId }) => ({
    path: `/v2/${project}/calls/complete`,
    body: { batch: [completeOf(project, { id: callId })] },
  }),
  'POST /call/update': (project, { callId }) => ({
    body: { project_id: project, call_id: callId, display_name: 'taken over' },
  }),
  'POST /calls/delete': (project, { callId }) => ({ body: { project_id: project, call_ids: [callId] } }),
  'POST /calls/conversations': (project, { callId }) => ({ body: { project_id: project, call_ids: [callId] } }),
  'POST /call/read': (project, { callId }) => ({ body: { project_id: project, id: callId } }),
  'POST /call/uses': (project, { callId }) => ({ body: { project_id: project, id: callId } }),
  'POST /calls/stream_query': (project) => ({
    body: { project_id: project, expand_columns: ['inputs'], include_feedback: true, include_costs: true },
  }),
  'POST /calls/query_stats': (project) => ({ body: { project_id: project, include_total_storage_size: true } }),
  'POST /calls/parse_query': 'names no project',
  'POST /calls/stats': (project) => ({ body: statsOf(project) }),
  'POST /calls/usage': (project, { callId }) => ({
    body: { project_id: project, call_ids: [callId], include_costs: true },
  }),
  'POST /trace/usage': (project, { callId }) => ({
    body: { project_id: project, filter: { call_ids: [callId] }, include_costs: true },
  }),
  'POST /calls/train/preview': (project) => ({ body: { project_id: project, model: 'mine', reward: 'correct' } }),
  'POST /calls/train': (project, { callId }) => ({
    body: { project_id: project, model: 'mine', chosen: [[{ call_ids: [callId], reward: 1 }]] },
  }),
  'POST /calls/train_sft/preview': (project) => ({ body: { project_id: project, model: 'mine' } }),
  'POST /calls/train_sft': (project, { callId }) => ({
    body: { project_id: project, model: 'mine', chosen: [callId] },
  }),
  'POST /cost/create': (project) => ({
    body: { project_id: project, costs: { mine: { prompt_token_cost: 1, completion_token_cost: 1 } } },
  }),
  'POST /cost/query': (project) => ({ body: { project_id: project } }),
  'POST /cost/purge': (project, { priceId }) => ({
    body: { project_id: project, query: { $expr: { $eq: [{ $getField: 'id' }, { $literal: priceId }] } } },
  }),
  'POST /feedback/create': (project, { callId }) => ({ body: feedbackOn(project, callId) }),
  'POST /feedback/batch/create': (project, { callId }) => ({ body: { batch: [feedbackOn(project, callId)] } }),
  'POST /feedback/query': (project) => ({ body: { project_id: project } }),
  'POST /feedback/purge': (project) => ({
    body: {
      project_id: project,
      query: { $expr: { $eq: [{ $getField: 'id' }, { $literal: 'the-victims-feedback' }] } },
    },
  }),
  'POST /feedback/replace': (project, { callId }) => ({
    body: { ...feedbackOn(project, callId), feedback_id: 'the-victims-feedback' },
  }),
  'POST /feedback/stats': (project) => ({
    body: {
      project_id: project,
      start: Date.now() / 1000 - 60,
      metrics: [{ json_path: 'note', value_type: 'categorical', aggregations: ['count'] }],
    },
  }),
  'POST /feedback/payload_schema': (project) => ({ body: { project_id: project, start: Date.now() / 1000 - 60 } }),
  'POST /feedback/aggregate': (project) => ({
    body: {
      project_id: project,
      after_ms: Date.now() - 60_000,
      before_ms: Date.now() + 60_000,
      group_by: ['scorer_id'],
    },
  }),
  'POST /obj/create': (project) => ({ body: { obj: { project_id: project, object_id: 'mine', val: {} } } }),
  'POST /obj/conversation': (project, { digest }) => ({
    body: { project_id: project, object_id: 'mine', digest },
  }),
  'POST /obj/read': (project, { digest }) => ({ body: { project_id: project, object_id: 'mine', digest } }),
  'POST /objs/query': (project) => ({ body: { project_id: project } }),
  'POST /obj/delete': (project, { digest }) => ({
    body: { project_id: project, object_id: 'mine', digests: [digest] },
  }),
  'GET /aliases': (project) => ({ path: `/aliases?project_id=${encodeURIComponent(project)}` }),
  'GET /tags': (project) => ({ path: `/tags?project_id=${encodeURIComponent(project)}` }),
  'PUT /objs/{object_id}/aliases': (project, { digest }) => ({
    path: '/objs/mine/aliases',
    body: { project_id: project, digest, aliases: ['taken'] },
  }),
  'POST /objs/{object_id}/aliases/remove': (project) => ({
    path: '/objs/mine/aliases/remove',
    body: { project_id: project, aliases: [secret] },
  }),
  'PUT /objs/{object_id}/versions/{digest}/tags': (project, { digest }) => ({
    path: `/objs/mine/versions/${digest}/tags`,
    body: { project_id: project, tags: ['taken'] },
  }),
  'POST /objs/{object_id}/versions/{digest}/tags/remove': (project, { digest }) => ({
    path: `/objs/mine/versions/${digest}/tags/remove`,
    body: { project_id: project, tags: [secret] },
  }),
  'POST /refs/read_batch': (project, { digest }) => ({ body: { refs: [`weave:///${project}/object/mine:${digest}`] } }),
  'POST /table/create': (project) => ({ body: { table: { project_id: project, rows: [{ a: 1 }] } } }),
  'POST /table/create_from_digests': (project, { row }) => ({ body: { project_id: project, row_digests: [row] } }),
  'POST /table/update': (project, { table }) => ({ body: { project_id: project, base_digest: table, updates: [] } }),
  'POST /table/query': (project, { table }) => ({ body: { project_id: project, digest: table } }),
  'POST /table/query_stream': (project, { table }) => ({ body: { project_id: project, digest: table } }),
  'POST /table/query_stats': (project, { table }) => ({ body: { project_id: project, digest: table } }),
  'POST /table/query_stats_batch': (project, { table }) => ({ body: { project_id: project, digests: [table] } }),
  'POST /file/create': (project) => ({ form: { project_id: project, file: 'content' } }),
  'POST /file/content': (project, { file }) => ({ body: { project_id: project, digest: file } }),
  'POST /files/query_stats': (project) => ({ body: { project_id: project } }),
  'GET /v1/models': inHeader({}),
  'GET /v1/models/{name}': 'names no project',
  'GET /v1/models/{owner}/{name}': 'names no project',
  'DELETE /v1/models/{name}': 'names no project',
  'DELETE /v1/models/{owner}/{name}': 'names no project',
  'POST /v1/files': inHeader({ form: { purpose: 'evals', file: 'content' } }),
  'GET /v1/files': inHeader({}),
  'GET /v1/files/{file_id}': inHeader({}, ({ uploadedFile }) => `/v1/files/${uploadedFile}`),
  'GET /v1/files/{file_id}/content': inHeader({}, ({ uploadedFile }) => `/v1/files/${uploadedFile}/content`),
  'DELETE /v1/files/{file_id}': inHeader({}, ({ uploadedFile }) => `/v1/files/${uploadedFile}`),
  'POST /v1/fine_tuning/jobs': (project, { uploadedFile }) => ({
    body: { model: 'heddle/tiny', training_file: uploadedFile },
    headers: { 'X-Heddle-Project': project },
  }),
  'GET /v1/fine_tuning/jobs': inHeader({}),
  ...fineTuningCases('GET', ['', '/events', '/checkpoints']),
  ...fineTuningCases('POST', ['/cancel', '/pause', '/resume']),
  'POST /v1/load_lora_adapter': 'names no project',
  'POST /tokenize': 'names no project',
  'POST /detokenize': 'names no project',
  'GET /tokenizer_info': 'names no project',
  'POST /v1/unload_lora_adapter': 'names no project',
  'POST /otel/v1/traces': (project) => ({ body: spansOf(project) }),
  'POST /v1/traces': (project) => ({ body: spansOf(project) }),
  'POST /otel/v1/logs': (project) => ({ body: logsOf(project) }),
  'POST /v1/logs': (project) => ({ body: logsOf(project) }),
  'POST /otel/v1/metrics': 'names no project',
  'POST /v1/metrics': 'names no project',
  'POST /otel/spans/explain': (project, { callId }) => ({ body: { project_id: project, id: callId } }),
  'POST /agents/otel/v1/traces': (project) => ({ body: spansOf(project) }),
  'POST /v1/chat/completions': (project) => ({
    body: { messages: [{ role: 'user', content: 'Hi' }], max_tokens: 1 },
    headers: { 'X-Heddle-Project': project },
  }),
  'POST /v1/fine_tuning/alpha/graders/run': (project) => ({
    body: { grader: { type: 'string_check', name: 'g', operation: 'eq', input: '', reference: '' }, model_sample: '' },
    headers: { 'X-Heddle-Project': project },
  }),
  'POST /v1/fine_tuning/alpha/graders/validate': 'names no project',
  'POST /v1/completions': (project) => ({
    body: { prompt: 'Hi', max_tokens: 1 },
    headers: { 'X-Heddle-Project': project },
  }),
  'POST /v1/embeddings': (project) => ({ body: { input: 'Hi' }, headers: { 'X-Heddle-Project': project } }),
  'POST /v1/responses': (project) => ({
    body: { input: 'Hi', max_output_tokens: 1 },
    headers: { 'X-Heddle-Project': project },
  }),
  'GET /v1/responses/{response_id}': responseCase(''),
  'DELETE /v1/responses/{response_id}': responseCase(''),
  'POST /v1/responses/{response_id}/cancel': responseCase('/cancel'),
  'GET /v1/responses/{response_id}/input_items': responseCase('/input_items'),
  ...evalCases(),
  'POST /threads/stream_query': (project) => ({ body: { project_id: project, filter: { thread_ids: [secret] } } }),
  'POST /annotation_queues': (project) => ({ body: { project_id: project, name: 'q', scorer_refs: [] } }),
  'POST /annotation_queues/query': (project) => ({ body: { project_id: project } }),
  'POST /annotation_queues/stats': (project, { queue }) => ({ body: { project_id: project, queue_ids: [queue] } }),
  'GET /annotation_queues/{queue_id}': (project, { queue }) => ({
    path: `/annotation_queues/${queue}?project_id=${encodeURIComponent(project)}`,
  }),
  'PUT /annotation_queues/{queue_id}': (project, { queue }) => ({
    path: `/annotation_queues/${queue}`,
    body: { project_id: project, name: 'taken over' },
  }),
  'DELETE /annotation_queues/{queue_id}': (project, { queue }) => ({
    path: `/annotation_queues/${queue}?project_id=${encodeURIComponent(project)}`,
  }),
  'POST /annotation_queues/{queue_id}/items': (project, { queue, callId }) => ({
    path: `/annotation_queues/${queue}/items`,
    body: { project_id: project, call_ids: [callId], display_fields: [] },
  }),
  'POST /annotation_queues/{queue_id}/items/query': (project, { queue }) => ({
    path: `/annotation_queues/${queue}/items/query`,
    body: { project_id: project },
  }),
  'POST /annotation_queues/{queue_id}/items/{item_id}/progress': (project, { queue, item }) => ({
    path: `/annotation_queues/${queue}/items/${item}/progress`,
    body: { project_id: project, annotation_state: 'completed' },
  }),
  'POST /v2/{entity}/{project}/suites': (project) => ({
    path: `/v2/${project}/suites`,
    body: { name: 'taken', dataset: 'mine' },
  }),
  'GET /v2/{entity}/{project}/suites': (project) => ({ path: `/v2/${project}/suites` }),
  'GET /v2/{entity}/{project}/suites/{suite}': (project) => ({ path: `/v2/${project}/suites/exam` }),
  'POST /calls/hold_out': (project) => ({ body: { project_id: project, name: 'taken' } }),
  ...resourceCases('ops', {}),
  ...resourceCases('datasets', { rows: [] }),
  ...resourceCases('scorers', { name: 'taken', op_source_code: '' }),
  ...resourceCases('models', { name: 'taken', source_code: '' }),
  ...resourceCases('evaluations', { name: 'taken', dataset: 'd' }),
  ...partCases('evaluation_runs', 'evaluation_run_id', () => ({ evaluation: 'e', model: 'm' })),
  ...partCases('predictions', 'prediction_id', ({ callId }) => ({
    ...{ model: 'm', inputs: {}, output: null, evaluation_run_id: callId },
  })),
  ...partCases('scores', 'score_id', ({ callId, ref }) => ({ prediction_id: callId, scorer: ref, value: 1 })),
  ...policyCases(),
  ...loopCases(),
  ...tensorZeroCases(),
  ...gateCases(),
  'GET /gates/public_key': 'names no project',
  'POST /evaluations/evaluate_model': (project, { ref }) => ({
    body: { project_id: project, evaluation_ref: ref, model_ref: ref },
  }),
  'POST /evaluations/status': (project, { callId }) => ({ body: { project_id: project, call_id: callId } }),
  'POST /calls/score': (project, { callId, ref }) => ({
    body: { project_id: project, call_ids: [callId], scorer_refs: [ref] },
  }),
  'POST /v2/{entity}/{project}/lineage/query': (project, { callId }) => ({
    path: `/v2/${project}/lineage/query`,
    body: { call_id: callId },
  }),
  'POST /v2/{entity}/{project}/lineage/verify': (project, { callId }) => ({
    path: `/v2/${project}/lineage/verify`,
    body: { call_ids: [callId] },
  }),
  'POST /v2/{entity}/{project}/eval_results/query': (project, { callId }) => ({
    path: `/v2/${project}/eval_results/query`,
    body: { evaluation_call_ids: [callId], include_summary: true, include_costs: true },
  }),
  'POST /completions/create': (project, { ref }) => ({
    body: { project_id: project, inputs: { model: 'heddle/tiny', max_tokens: 1, prompt: ref } },
  }),
  'POST /completions/create_stream': (project) => ({
    body: { project_id: project, inputs: { model: 'custom::mine::mine', prompt: 'mine' } },
  }),
  'POST /image/create': (project, { ref }) => ({ body: { project_id: project, inputs: { model: ref, prompt: 'p' } } }),
  'POST /v1/preview/models': (project) => {
    const [entity, name] = project.split('/');
    return { body: { entity, project: name, name: 'agent', base_model: 'heddle/tiny' } };
  },
  'GET /v1/preview/models': (project) => {
    const [entity, name] = project.split('/');
    return { path: `/v1/preview/models?entity=${entity}&project=${name}` };
  },
  'GET /v1/preview/models/{model_id}': trainedModelCase(''),
  'DELETE /v1/preview/models/{model_id}': trainedModelCase(''),
  'POST /v1/preview/models/{model_id}/log': trainedModelCase('/log', { split: 'val', trajectory_groups: [] }),
  'GET /v1/preview/models/{model_id}/checkpoints': trainedModelCase('/checkpoints'),
  'DELETE /v1/preview/models/{model_id}/checkpoints': trainedModelCase('/checkpoints', { steps: [1] }),
  'POST /v1/preview/training-jobs': {
    byId: ({ trainedModel }) => ({ body: { model_id: trainedModel, trajectory_groups: [] } }),
  },
  'POST /v1/preview/sft-training-jobs': {
    byId: ({ trainedModel }) => ({ body: { model_id: trainedModel, training_data_url: 'data:application/jsonl,{}' } }),
  },
  'GET /v1/preview/training-jobs': {
    byId: ({ trainedModel }) => ({ path: `/v1/preview/training-jobs?model_id=${trainedModel}` }),
  },
  'GET /v1/preview/training-jobs/{job_id}': trainingJobCase(''),
  'GET /v1/preview/training-jobs/{job_id}/events': trainingJobCase('/events'),
  'GET /v1/preview/training-jobs/{job_id}/rollouts': trainingJobCase('/rollouts'),
  'POST /v1/preview/training-jobs/{job_id}/cancel': trainingJobCase('/cancel'),
  'POST /v1/preview/training-jobs/{job_id}/resume': trainingJobCase('/resume'),
  'POST /link_to_registry': (project, { digest }) => ({
    body: {
      ref: `weave:///${project}/object/mine:${digest}`,
      target: { portfolio_name: 'p', entity_name: project.split('/')[0], project_name: 'wandb-registry-x' },
    },
  }),
  ...tinkerCases(),
  'GET /metrics': 'names no project',
  'GET /geolocate': 'names no project',
  'GET /inference/router/{provider}/models': 'names no project',
  'GET /inference/analysis/{provider}/models': 'names no project',
  'GET /inference/{provider}/v2/hardware': 'names no project',
};

/** A request whose project is in a header. */
function inHeader(request: Request, path?: (rows: Rows) => string) {
  return (project: string, rows: Rows): Request => ({
    ...request,
    ...(path ? { path: path(rows) } : {}),
    headers: { 'X-Heddle-Project': project },
  });
}

function fineTuningCases(method: string, paths: string[]): typeof cases {
  const start = '/v1/fine_tuning/jobs';
  const made = paths.map((path) => [
    `${method} ${start}/{fine_tuning_job_id}${path}`,
    inHeader({}, ({ fineTuningJob }) => `${start}/${fineTuningJob}${path}`),
  ]);
  return Object.fromEntries(made);
}

function tinkerCases(): typeof cases {
  const path = '/api/v1';
  const weights = ({ tinkerRun }: Rows) => `tinker://${tinkerRun}/weights/${secret}`;
  const byModel = (body: object = {}): ById => ({
    byId: ({ tinkerRun }) => ({ body: { model_id: tinkerRun, ...body } }),
  });
  const bySession = (body: object = {}): ById => ({
    byId: ({ tinkerSession }) => ({ body: { session_id: tinkerSession, base_model: 'heddle/tiny', ...body } }),
  });
  const sampler = ({ tinkerSession }: Rows) => `${tinkerSession}:sample:0`;
  const pass = { data: [{ model_input: { chunks: [{ tokens: [1] }] } }], loss_fn: 'cross_entropy' };
  const prompt = { chunks: [{ tokens: [1] }] };
  const ofCheckpoint = (after = '', body?: object): ById => ({
    byId: ({ tinkerRun }) => ({
      path: `${path}/training_runs/${tinkerRun}/checkpoints/weights/${secret}${after}`,
      ...(body ? { body } : {}),
    }),
  });
  const checkpoint = `${path}/training_runs/{run_id}/checkpoints/{kind}/{name}`;
  return {
    [`POST ${path}/client/config`]: 'names no project',
    [`POST ${path}/client/dynamic_config`]: 'names no project',
    [`GET ${path}/healthz`]: 'open',
    [`GET ${path}/get_server_capabilities`]: 'names no project',
    [`POST ${path}/telemetry`]: 'names no project',
    [`POST ${path}/create_session`]: (project) => ({ body: { project_id: project } }),
    [`POST ${path}/session_heartbeat`]: bySession(),
    [`POST ${path}/sessions/{session_id}/finish`]: {
      byId: ({ tinkerSession }) => ({ path: `${path}/sessions/${tinkerSession}/finish`, body: {} }),
    },
    [`GET ${path}/sessions/{session_id}`]: {
      byId: ({ tinkerSession }) => ({ path: `${path}/sessions/${tinkerSession}` }),
    },
    [`GET ${path}/sessions`]: 'names no project',
    [`POST ${path}/create_model`]: bySession({ model_seq_id: 9 }),
    [`POST ${path}/get_info`]: byModel(),
    [`POST ${path}/unload_model`]: byModel(),
    [`POST ${path}/forward_backward`]: byModel({ forward_backward_input: pass }),
    [`POST ${path}/forward`]: byModel({ forward_input: pass }),
    [`POST ${path}/optim_step`]: byModel({ adam_params: {} }),
    [`POST ${path}/create_sampling_session`]: bySession({ sampling_session_seq_id: 9 }),
    [`POST ${path}/join_sampling_session`]: {
      byId: (rows) => ({ body: { sampling_session_id: sampler(rows) } }),
    },
    [`GET ${path}/samplers/{sampler_id}`]: { byId: (rows) => ({ path: `${path}/samplers/${sampler(rows)}` }) },
    [`POST ${path}/asample`]: {
      byId: (rows) => ({ body: { sampling_session_id: sampler(rows), prompt, sampling_params: {} } }),
    },
    [`POST ${path}/save_weights`]: byModel({ path: 'mine' }),
    [`POST ${path}/save_weights_for_sampler`]: byModel({ path: 'mine' }),
    [`POST ${path}/save_weights_external`]: byModel({ path: 'mine' }),
    [`POST ${path}/load_weights`]: {
      byId: (rows) => ({ body: { model_id: rows.tinkerRun, path: weights(rows) } }),
    },
    [`POST ${path}/weights_info`]: { byId: (rows) => ({ body: { tinker_path: weights(rows) } }) },
    // `tinker/futures.test.ts`: results are those of their user.
    [`POST ${path}/retrieve_future`]: 'names no project',
    [`POST ${path}/cancel_future`]: 'names no project',
    [`GET ${path}/training_runs`]: (project) => ({
      path: `${path}/training_runs?project_id=${encodeURIComponent(project)}`,
    }),
    [`GET ${path}/training_runs/{run_id}`]: {
      byId: ({ tinkerRun }) => ({ path: `${path}/training_runs/${tinkerRun}` }),
    },
    [`GET ${path}/training_runs/{run_id}/checkpoints`]: {
      byId: ({ tinkerRun }) => ({ path: `${path}/training_runs/${tinkerRun}/checkpoints` }),
    },
    [`GET ${path}/checkpoints`]: 'names no project',
    [`DELETE ${checkpoint}`]: ofCheckpoint(),
    [`PUT ${checkpoint}/ttl`]: ofCheckpoint('/ttl', {}),
    [`GET ${checkpoint}/archive`]: ofCheckpoint('/archive'),
    [`GET ${checkpoint}/external_weights_urls`]: ofCheckpoint('/external_weights_urls'),
  };
}

function trainedModelCase(path: string, body?: object): ById {
  const request = (id: string) => ({ path: `/v1/preview/models/${id}${path}`, ...(body ? { body } : {}) });
  return { byId: ({ trainedModel }) => request(trainedModel) };
}

function trainingJobCase(path: string): ById {
  return { byId: ({ trainingJob }) => ({ path: `/v1/preview/training-jobs/${trainingJob}${path}` }) };
}

function responseCase(path: string): ById {
  return { byId: ({ response }) => ({ path: `/v1/responses/${response}${path}` }) };
}

/** The four routes of a kind of versioned resource. */
function resourceCases(kind: string, body: object): typeof cases {
  const pattern = `/v2/{entity}/{project}/${kind}`;
  return {
    [`POST ${pattern}`]: (project) => ({ path: `/v2/${project}/${kind}`, body }),
    [`GET ${pattern}`]: (project) => ({ path: `/v2/${project}/${kind}` }),
    [`GET ${pattern}/{object_id}/versions/{digest}`]: (project, { digest }) => ({
      path: `/v2/${project}/${kind}/mine/versions/${digest}`,
    }),
    [`DELETE ${pattern}/{object_id}`]: (project, { digest }) => ({
      path: `/v2/${project}/${kind}/mine?digests=${digest}`,
    }),
  };
}

const minePolicy = {
  variants: [{ name: 'now', model: 'heddle/tiny' }],
  incumbent: 'now',
  traffic: { kind: 'split', shares: { now: 1 } },
};

function policyCases(): typeof cases {
  const pattern = '/v2/{entity}/{project}/policies';
  const at = (project: string, path: string) => `/v2/${project}/policies${path}`;
  return {
    [`POST ${pattern}`]: (project) => ({ path: at(project, ''), body: { name: 'mine', ...minePolicy } }),
    [`GET ${pattern}`]: (project) => ({ path: at(project, '') }),
    [`GET ${pattern}/{name}`]: (project) => ({ path: at(project, `/theirs`) }),
    [`POST ${pattern}/{name}/versions`]: (project) => ({ path: at(project, `/theirs/versions`), body: minePolicy }),
    [`POST ${pattern}/{name}/undo`]: (project) => ({ path: at(project, `/theirs/undo`), body: {} }),
    [`POST ${pattern}/{name}/estimate`]: (project) => ({
      path: at(project, `/theirs/estimate`),
      body: { shares: { now: 1 }, reward: 'liked' },
    }),
    [`DELETE ${pattern}/{name}`]: (project) => ({ path: at(project, `/theirs`) }),
  };
}

function tensorZeroCases(): typeof cases {
  const pattern = '/tensorzero/{entity}/{project}';
  const messages = [{ role: 'user', content: 'Hi' }];
  const at = (project: string, path: string, body: object) => ({ path: `/tensorzero/${project}${path}`, body });
  return {
    [`POST ${pattern}/inference`]: (project) =>
      at(project, '/inference', { model_name: 'heddle/tiny', input: { messages } }),
    [`POST ${pattern}/feedback`]: (project, { callId }) =>
      at(project, '/feedback', { metric_name: 'comment', value: 'mine', inference_id: callId }),
    [`POST ${pattern}/openai/v1/chat/completions`]: (project) =>
      at(project, '/openai/v1/chat/completions', { model: 'tensorzero::model_name::heddle/tiny', messages }),
  };
}

const mineGate = {
  ...{ suite: 'exam', candidate: 'heddle/tiny', incumbent: 'heddle/tiny', scorers: ['contains'] },
  model_params: { messages_template: [{ role: 'user', content: 'Hello' }] },
  target: { metric: 'contains', gain: 0.1 },
};

function gateCases(): typeof cases {
  const pattern = '/v2/{entity}/{project}/gates';
  const at = (project: string, path: string) => ({ path: `/v2/${project}/gates${path}` });
  return {
    [`POST ${pattern}`]: (project) => ({ ...at(project, ''), body: mineGate }),
    [`GET ${pattern}`]: (project) => at(project, ''),
    [`GET ${pattern}/{gate_id}`]: (project, { gate }) => at(project, `/${gate}`),
    [`GET ${pattern}/{gate_id}/verdict`]: (project, { gate }) => at(project, `/${gate}/verdict`),
    [`POST ${pattern}/{gate_id}/cancel`]: (project, { gate }) => ({ ...at(project, `/${gate}/cancel`), body: {} }),
  };
}

const mineLoop = {
  chats: { where: 'op_name~chat' },
  ...{ scorer: { reward: 'thumbs' }, method: { kind: 'sft' }, model: 'agent', suite: 'exam' },
  gate: { scorers: mineGate.scorers, target: mineGate.target },
  rollout: { policy: 'theirs', stages: [] },
};

function loopCases(): typeof cases {
  const pattern = '/v2/{entity}/{project}/loops';
  const at = (project: string, path: string) => ({ path: `/v2/${project}/loops${path}` });
  const turn = `${pattern}/{name}/turns/{number}`;
  return {
    [`POST ${pattern}`]: (project) => ({ ...at(project, ''), body: { name: 'mine', ...mineLoop } }),
    [`GET ${pattern}`]: (project) => at(project, ''),
    [`GET ${pattern}/{name}`]: (project) => at(project, '/theirs'),
    [`PUT ${pattern}/{name}`]: (project) => ({ ...at(project, '/theirs'), body: mineLoop }),
    [`POST ${pattern}/{name}/pause`]: (project) => ({ ...at(project, '/theirs/pause'), body: {} }),
    [`POST ${pattern}/{name}/resume`]: (project) => ({ ...at(project, '/theirs/resume'), body: {} }),
    [`DELETE ${pattern}/{name}`]: (project) => at(project, '/theirs'),
    [`POST ${pattern}/{name}/turns`]: (project) => ({ ...at(project, '/theirs/turns'), body: {} }),
    [`POST ${turn}/answer`]: (project) => ({ ...at(project, '/theirs/turns/1/answer'), body: { answer: 'yes' } }),
    [`POST ${turn}/cancel`]: (project) => ({ ...at(project, '/theirs/turns/1/cancel'), body: {} }),
    [`POST ${turn}/undo`]: (project) => ({ ...at(project, '/theirs/turns/1/undo'), body: {} }),
  };
}

/** The routes of runs, predictions or scores, of which scores are not finished. */
function partCases(kind: string, idName: string, body: (rows: Rows) => object): typeof cases {
  const pattern = `/v2/{entity}/{project}/${kind}`;
  const at = (project: string, path: string) => `/v2/${project}/${kind}${path}`;
  const finish = {
    [`POST ${pattern}/{${idName}}/finish`]: (project: string, { callId }: Rows) => ({
      path: at(project, `/${callId}/finish`),
      body: {},
    }),
  };
  return {
    [`POST ${pattern}`]: (project, rows) => ({ path: at(project, ''), body: body(rows) }),
    [`GET ${pattern}`]: (project) => ({ path: at(project, '') }),
    [`GET ${pattern}/{${idName}}`]: (project, { callId }) => ({ path: at(project, `/${callId}`) }),
    [`DELETE ${pattern}`]: (project, { callId }) => ({ path: at(project, `?${idName}s=${callId}`) }),
    ...(kind === 'scores' ? {} : finish),
  };
}

function entityOf(project: string): string {
  return `/entities/${project.split('/')[0]}`;
}

function statsOf(project: string): unknown {
  const times = { start: '2023-12-31T23:00:00Z', end: '2024-01-01T01:00:00Z' };
  return { project_id: project, ...times, usage_metrics: [{ metric: 'total_tokens' }] };
}

function evalOf(name: string) {
  const grader = { type: 'string_check', name, operation: 'eq', input: '', reference: '' };
  const data_source_config = { type: 'custom', item_schema: { type: 'object' } };
  return { name, data_source_config, testing_criteria: [grader] };
}

/** It has no rows, so it writes no calls and no feedback. */
function evalRunOf(name: string) {
  const source = { type: 'stored_completions', created_before: 1 };
  return { name, data_source: { type: 'completions', source } };
}

/** The routes of evals in OpenAI's shape: the header names the project. */
function evalCases(): typeof cases {
  const of = (project: string, path: string, body?: unknown) => ({
    path: `/v1/evals${path}`,
    headers: { 'X-Heddle-Project': project },
    ...(body === undefined ? {} : { body }),
  });
  const one = '/v1/evals/{eval_id}';
  const run = (rows: Rows) => `/${rows.openaiEval}/runs/${rows.openaiRun}`;
  return {
    'POST /v1/evals': (project) => of(project, '', evalOf('mine')),
    'GET /v1/evals': (project) => of(project, ''),
    [`GET ${one}`]: (project, rows) => of(project, `/${rows.openaiEval}`),
    [`POST ${one}`]: (project, rows) => of(project, `/${rows.openaiEval}`, { name: 'taken over' }),
    [`DELETE ${one}`]: (project, rows) => of(project, `/${rows.openaiEval}`),
    [`POST ${one}/runs`]: (project, rows) => of(project, `/${rows.openaiEval}/runs`, evalRunOf('mine')),
    [`GET ${one}/runs`]: (project, rows) => of(project, `/${rows.openaiEval}/runs`),
    [`GET ${one}/runs/{run_id}`]: (project, rows) => of(project, run(rows)),
    [`POST ${one}/runs/{run_id}/cancel`]: (project, rows) => of(project, `${run(rows)}/cancel`),
    [`DELETE ${one}/runs/{run_id}`]: (project, rows) => of(project, run(rows)),
    [`GET ${one}/runs/{run_id}/output_items`]: (project, rows) => of(project, `${run(rows)}/output_items`),
    [`GET ${one}/runs/{run_id}/output_items/{output_item_id}`]: (project, rows) =>
      of(project, `${run(rows)}/output_items/outputitem_1`),
  };
}

function feedbackOn(project: string, callId: string) {
  const about = { project_id: project, weave_ref: `weave:///${project}/call/${callId}` };
  return { ...about, feedback_type: 'wandb.note.1', payload: { note: 'mine' } };
}

function logsOf(name: string): unknown {
  const [entity, project] = name.split('/');
  const attribute = (key: string, stringValue: string | undefined) => ({ key, value: { stringValue } });
  const resource = { attributes: [attribute('wandb.entity', entity), attribute('wandb.project', project)] };
  const record = {
    traceId: 'ab'.repeat(16),
    spanId: 'ab'.repeat(8),
    eventName: 'gen_ai.user.message',
    timeUnixNano: '1',
  };
  return { resourceLogs: [{ resource, scopeLogs: [{ scope: {}, logRecords: [record] }] }] };
}

function spansOf(name: string): unknown {
  const [entity, project] = name.split('/');
  return JSON.parse(otlpJson([{ name: 'span' }], { 'wandb.entity': entity, 'wandb.project': project }));
}

const routes = endpoints.map((endpoint) => ({ ...endpoint, key: `${endpoint.method} ${endpoint.path}` }));

const openAiForbidden = '{"error":{"message":"Forbidden","type":"PermissionDeniedError","param":null,"code":403}}';

const platformForbidden = '{"error":{"message":"Forbidden","type":"permission_error","param":null,"code":null}}';

const tensorZeroForbidden = '{"error":"Forbidden"}';

const detailForbidden = '{"detail":"Forbidden"}';

test('every route has its case', () => {
  const missing = routes.filter(({ key }) => !(key in cases)).map(({ key }) => key);
  expect(missing, 'say in the cases above how this route could reach another project').toEqual([]);
});

describe.each(routes.filter(({ key }) => typeof cases[key] === 'function'))('$key', (endpoint) => {
  const make = cases[endpoint.key] as (project: string, rows: Rows) => Request;

  test('refuses a stranger, and says nothing [training 4]', async () => {
    const { status, text } = await send(endpoint, make(victim.project, victim), strangersKey);
    expect(text).not.toContain(secret);
    if (endpoint.path === '/service/projects_info') expect(text).toBe('[]');
    else if (endpoint.errors === 'openai' || endpoint.errors === 'vllm')
      expect({ status, text }).toEqual({ status: 403, text: openAiForbidden });
    else if (endpoint.errors === 'openaiPlatform')
      expect({ status, text }).toEqual({ status: 403, text: platformForbidden });
    else if (endpoint.errors === 'tensorZero')
      expect({ status, text }).toEqual({ status: 403, text: tensorZeroForbidden });
    else if (endpoint.errors === 'detail') expect({ status, text }).toEqual({ status: 403, text: detailForbidden });
    else expect({ status, text }).toEqual({ status: 403, text: '{"reason":"Forbidden"}' });
  });

  test('shows a neighbour nothing of the victim, and changes nothing there', async () => {
    const { text } = await send(endpoint, make(neighbour, victim), server.key);
    expect(text).not.toContain(secret);
    const call = await server.post('/call/read', { project_id: victim.project, id: victim.callId });
    expect(call.json.call).toMatchObject({ display_name: secret, inputs: { secret } });
    const prices = await server.post('/cost/query', { project_id: victim.project });
    expect(prices.json.results).toMatchObject([{ id: victim.priceId, llm_id: secret }]);
    const feedback = await server.post('/feedback/query', { project_id: victim.project });
    expect(feedback.json.result).toMatchObject([{ payload: { note: secret } }]);
    const read = { project_id: victim.project, object_id: 'mine', digest: 'latest', include_tags_and_aliases: true };
    const object = (await server.post('/obj/read', read)).json.obj;
    expect(object).toMatchObject({ val: { secret }, version_index: 0, tags: [secret], aliases: ['latest', secret] });
    const path = `/annotation_queues/${victim.queue}`;
    const { queue } = (await server.get(`${path}?project_id=${encodeURIComponent(victim.project)}`)).json;
    expect(queue).toMatchObject({ name: secret, deleted_at: null });
    const { items } = (await server.post(`${path}/items/query`, { project_id: victim.project })).json;
    expect(items).toMatchObject([{ annotation_state: 'unstarted', display_fields: [secret] }]);
    const { policies } = (await server.get(`/v2/${victim.project}/policies`)).json;
    expect(policies).toMatchObject([{ name: 'theirs', version: { number: 1, reason: secret } }]);
    const { loops } = (await server.get(`/v2/${victim.project}/loops`)).json;
    expect(loops).toMatchObject([{ name: 'theirs', paused_reason: secret, latest_turn: null }]);
    const { secrets } = (await server.get(`/secrets?project_id=${encodeURIComponent(victim.project)}`)).json;
    expect(secrets).toMatchObject([{ name: 'VICTIMS_KEY', hosts: [`${secret}.example`] }]);
    const runs = await server.get(`/v1/evals/${victim.openaiEval}/runs`, {
      headers: { 'X-Heddle-Project': victim.project },
    });
    expect(runs.json.data).toMatchObject([{ id: victim.openaiRun, name: secret }]);
  });

  test('wants a key', async () => {
    expect((await send(endpoint, make(victim.project, victim), null)).status).toBe(401);
  });
});

describe.each(routes.filter(({ key }) => typeof cases[key] === 'object'))('$key', (endpoint) => {
  const { byId } = cases[endpoint.key] as ById;

  test('a user without access finds nothing and changes nothing', async () => {
    const { status, text } = await send(endpoint, byId(victim), strangersKey);
    expect(status).toBe(404);
    expect(text).not.toContain(secret);
    const path = `/v1/preview/models/${victim.trainedModel}`;
    expect((await server.get(path)).json).toMatchObject({ name: secret });
    expect((await server.get(`/v1/preview/training-jobs?model_id=${victim.trainedModel}`)).json.data).toHaveLength(1);
    expect((await server.get(`/v1/responses/${victim.response}`)).json).toMatchObject({ metadata: { secret } });
  });

  test('requires a key', async () => {
    expect((await send(endpoint, byId(victim), null)).status).toBe(401);
  });
});

test('refs in calls show a stranger nothing of the objects behind them', async () => {
  const call = completeOf('stranger/theirs', { id: randomUUID(), inputs: { m: victim.ref } });
  const options = { key: strangersKey };
  await server.post('/v2/stranger/theirs/calls/complete', { batch: [call] }, options);
  const query = { project_id: 'stranger/theirs', expand_columns: ['inputs.m'] };
  const answer = await server.post('/calls/stream_query', query, options);
  expect(answer.lines[0].inputs.m).toBe(victim.ref);
});

function send({ method, path }: { method: string; path: string }, request: Request, key: string | null) {
  const to = request.path ?? path;
  if (request.form) return sendForm(to, request.form, key, request.headers);
  return server.post(to, request.body, { key, method, headers: request.headers ?? {} });
}

async function sendForm(
  path: string,
  fields: Record<string, string>,
  key: string | null,
  more: Request['headers'] = {},
) {
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) form.append(name, name === 'file' ? new Blob([value]) : value);
  const headers: Record<string, string> = key === null ? more : { ...more, authorization: `Bearer ${key}` };
  const response = await fetch(server.url + path, { method: 'POST', body: form, headers });
  return { status: response.status, text: await response.text() };
}
