import { type Ids, project } from './fill.ts';

type Request = { path?: string; body?: object };

/** Why the answers of an endpoint are not compared. */
type NotCompared = 'writes' | 'computes' | 'is about this process';

const [entity] = project.split('/');
const named = { project_id: project };
const query = `project_id=${encodeURIComponent(project)}`;
/** Of the calls. */
const month = { start: '2023-12-15T00:00:00Z', end: '2024-01-14T00:00:00Z' };
/** Of the feedback, in seconds. */
const today = { start: Math.floor(Date.now() / 1000) - 86_400, end: Math.floor(Date.now() / 1000) + 86_400 };

/** For each endpoint of the contract, the requests whose answers a move must not change. */
export const readEndpoints: Record<string, NotCompared | ((ids: Ids) => Request | Request[])> = {
  'GET /health': 'is about this process',
  'GET /health/ready': 'is about this process',
  'GET /v1/health': 'is about this process',
  'GET /v1/system-check': 'is about this process',
  'GET /version': 'is about this process',
  'GET /server_info': 'is about this process',
  'GET /metrics': 'is about this process',
  'GET /openapi.json': 'is about this process',
  'GET /api/v1/healthz': 'is about this process',
  'GET /api/v1/sessions': 'is about this process',
  'GET /api/v1/sessions/{session_id}': 'is about this process',
  'GET /api/v1/samplers/{sampler_id}': 'is about this process',
  'POST /api/v1/client/config': 'is about this process',
  'POST /api/v1/client/dynamic_config': 'is about this process',
  'GET /api/v1/get_server_capabilities': () => ({}),
  'GET /api/v1/training_runs': () => ({}),
  'GET /api/v1/training_runs/{run_id}': ({ tinkerRun }) => ({ path: `/api/v1/training_runs/${tinkerRun}` }),
  'GET /api/v1/training_runs/{run_id}/checkpoints': ({ tinkerRun }) => ({
    path: `/api/v1/training_runs/${tinkerRun}/checkpoints`,
  }),
  'GET /api/v1/checkpoints': () => ({}),
  'POST /api/v1/weights_info': ({ tinkerRun }) => ({ body: { tinker_path: `tinker://${tinkerRun}/weights/state` } }),
  'GET /api/v1/training_runs/{run_id}/checkpoints/{kind}/{name}/archive': 'computes',
  'GET /api/v1/training_runs/{run_id}/checkpoints/{kind}/{name}/external_weights_urls': 'computes',
  'GET /service/doctor': 'is about this process',
  'GET /session': 'is about this process',
  'GET /geolocate': 'is about this process',
  'GET /inference/router/{provider}/models': 'is about this process',
  'GET /inference/analysis/{provider}/models': 'is about this process',
  'GET /inference/{provider}/v2/hardware': 'is about this process',
  'POST /service/projects_info': () => ({ body: { project_ids: [project, 'ent/none'] } }),
  'GET /keys': () => ({}),
  'GET /entities/{entity}/members': () => ({ path: `/entities/${entity}/members` }),
  'GET /secrets': () => ({ path: `/secrets?${query}` }),
  'GET /projects': () => ({}),
  'POST /call/read': ({ root, child }) => [
    { body: { ...named, id: root, include_costs: true } },
    { body: { ...named, id: child } },
  ],
  'POST /call/uses': ({ root }) => ({ body: { ...named, id: root } }),
  'POST /calls/stream_query': ({ trace }) => [
    { body: { ...named, include_costs: true, include_feedback: true, expand_columns: ['inputs'] } },
    { body: { ...named, sort_by: [{ field: 'display_name', direction: 'desc' }], limit: 50 } },
    { body: { ...named, filter: { trace_ids: [trace] } } },
    {
      body: {
        ...named,
        query: { $expr: { $contains: { input: { $getField: 'inputs' }, substr: { $literal: 'user' } } } },
      },
    },
  ],
  'POST /calls/conversations': ({ root }) => ({ body: { ...named, call_ids: [root] } }),
  'POST /calls/query_stats': () => ({ body: { ...named, include_total_storage_size: false } }),
  'POST /calls/stats': () => ({ body: { ...named, ...month, usage_metrics: [{ metric: 'total_tokens' }] } }),
  'POST /calls/usage': ({ root }) => ({ body: { ...named, call_ids: [root], include_costs: true } }),
  'POST /trace/usage': ({ root }) => ({ body: { ...named, filter: { call_ids: [root] }, include_costs: true } }),
  'POST /cost/query': () => ({ body: named }),
  'POST /feedback/query': () => ({ body: named }),
  'POST /feedback/stats': () => ({
    body: {
      ...named,
      ...today,
      metrics: [{ json_path: 'note', value_type: 'categorical', aggregations: ['count'] }],
    },
  }),
  'POST /feedback/payload_schema': () => ({ body: { ...named, ...today } }),
  'POST /feedback/aggregate': () => ({
    body: { ...named, after_ms: today.start * 1000, before_ms: today.end * 1000, group_by: ['scorer_id'] },
  }),
  'POST /obj/read': ({ digest }) => [
    { body: { ...named, object_id: 'mine', digest, include_tags_and_aliases: true } },
    { body: { ...named, object_id: 'mine', digest: 'best' } },
  ],
  'POST /obj/conversation': ({ digest }) => ({ body: { ...named, object_id: 'mine', digest } }),
  'POST /objs/query': () => [
    { body: named },
    { body: { ...named, metadata_only: true, filter: { latest_only: true } } },
  ],
  'GET /aliases': () => ({ path: `/aliases?${query}` }),
  'GET /tags': () => ({ path: `/tags?${query}` }),
  'POST /otel/spans/explain': ({ span }) => ({ body: { ...named, id: span } }),
  'POST /refs/read_batch': ({ digest }) => ({ body: { refs: [`weave:///${project}/object/mine:${digest}`] } }),
  'POST /table/query': ({ table }) => [
    { body: { ...named, digest: table } },
    { body: { ...named, digest: table, sort_by: [{ field: 'text', direction: 'desc' }], limit: 7 } },
  ],
  'POST /table/query_stream': ({ table }) => ({ body: { ...named, digest: table } }),
  'POST /table/query_stats': ({ table }) => ({ body: { ...named, digest: table } }),
  'POST /table/query_stats_batch': ({ table }) => ({
    body: { ...named, digests: [table], include_storage_size: true },
  }),
  'POST /file/content': ({ file }) => ({ body: { ...named, digest: file } }),
  'POST /files/query_stats': () => ({ body: named }),
  'POST /threads/stream_query': () => ({ body: named }),
  'POST /annotation_queues/query': () => ({ body: named }),
  'POST /annotation_queues/stats': ({ queue }) => ({ body: { ...named, queue_ids: [queue] } }),
  'GET /annotation_queues/{queue_id}': ({ queue }) => ({ path: `/annotation_queues/${queue}?${query}` }),
  'POST /annotation_queues/{queue_id}/items/query': ({ queue }) => ({
    path: `/annotation_queues/${queue}/items/query`,
    body: named,
  }),
  ...resourceReads('ops', 'op'),
  ...resourceReads('datasets', 'dataset'),
  ...resourceReads('scorers', 'scorer'),
  ...resourceReads('models', 'model'),
  ...resourceReads('evaluations', 'evaluation'),
  ...partReads('evaluation_runs', 'evaluation_run_id', ({ run }) => run),
  ...partReads('predictions', 'prediction_id', ({ prediction }) => prediction),
  ...partReads('scores', 'score_id', ({ score }) => score),
  'POST /evaluations/status': ({ run }) => ({ body: { ...named, call_id: run } }),
  'POST /v2/{entity}/{project}/eval_results/query': ({ run }) => ({
    path: `/v2/${project}/eval_results/query`,
    body: { evaluation_call_ids: [run], include_summary: true, include_costs: true },
  }),
  'POST /v2/{entity}/{project}/lineage/query': ({ root }) => ({
    path: `/v2/${project}/lineage/query`,
    body: { call_id: root },
  }),
  'GET /v1/responses/{response_id}': ({ response }) => ({ path: `/v1/responses/${response}` }),
  'GET /v1/responses/{response_id}/input_items': ({ response }) => ({ path: `/v1/responses/${response}/input_items` }),
  'GET /v1/models': () => ({}),
  'GET /v1/models/{name}': () => ({ path: '/v1/models/none' }),
  'GET /v1/models/{owner}/{name}': () => ({ path: '/v1/models/heddle/tiny' }),
  'GET /v1/preview/models': () => ({ path: `/v1/preview/models?entity=${entity}&project=moved` }),
  'GET /v1/preview/models/{model_id}': ({ trained }) => ({ path: `/v1/preview/models/${trained}` }),
  'GET /v1/preview/models/{model_id}/checkpoints': ({ trained }) => ({
    path: `/v1/preview/models/${trained}/checkpoints`,
  }),
  'GET /v1/preview/training-jobs': ({ trained }) => ({ path: `/v1/preview/training-jobs?model_id=${trained}` }),
  'GET /v1/preview/training-jobs/{job_id}': ({ sft }) => ({ path: `/v1/preview/training-jobs/${sft}` }),
  'GET /v1/preview/training-jobs/{job_id}/events': ({ sft }) => ({ path: `/v1/preview/training-jobs/${sft}/events` }),
  'GET /v1/preview/training-jobs/{job_id}/rollouts': ({ sft }) => ({
    path: `/v1/preview/training-jobs/${sft}/rollouts`,
  }),
  'POST /calls/train/preview': () => ({ body: { ...named, model: 'mine', reward: 'correct' } }),
  'POST /calls/train_sft/preview': () => ({ body: { ...named, model: 'mine' } }),
  'GET /v1/files': () => ({ path: '/v1/files?limit=100' }),
  'GET /v1/files/{file_id}': ({ uploaded }) => ({ path: `/v1/files/${uploaded}` }),
  'GET /v1/files/{file_id}/content': ({ uploaded }) => ({ path: `/v1/files/${uploaded}/content` }),
  'GET /v1/fine_tuning/jobs': () => ({ path: '/v1/fine_tuning/jobs?limit=100' }),
  'GET /v1/fine_tuning/jobs/{fine_tuning_job_id}': ({ tuning }) => ({ path: `/v1/fine_tuning/jobs/${tuning}` }),
  'GET /v1/fine_tuning/jobs/{fine_tuning_job_id}/events': ({ tuning }) => ({
    path: `/v1/fine_tuning/jobs/${tuning}/events`,
  }),
  'GET /v1/fine_tuning/jobs/{fine_tuning_job_id}/checkpoints': ({ tuning }) => ({
    path: `/v1/fine_tuning/jobs/${tuning}/checkpoints`,
  }),
  'GET /v1/evals': () => ({}),
  'GET /v1/evals/{eval_id}': ({ openaiEval }) => ({ path: `/v1/evals/${openaiEval}` }),
  'GET /v1/evals/{eval_id}/runs': ({ openaiEval }) => ({ path: `/v1/evals/${openaiEval}/runs` }),
  'GET /v1/evals/{eval_id}/runs/{run_id}': (ids) => ({ path: runPath(ids) }),
  'GET /v1/evals/{eval_id}/runs/{run_id}/output_items': (ids) => ({ path: `${runPath(ids)}/output_items` }),
  'GET /v1/evals/{eval_id}/runs/{run_id}/output_items/{output_item_id}': (ids) => ({
    path: `${runPath(ids)}/output_items/${ids.outputItem}`,
  }),
  'POST /calls/parse_query': 'computes',
  'POST /v2/{entity}/{project}/lineage/verify': 'computes',
  'POST /completions/create': 'computes',
  'POST /completions/create_stream': 'computes',
  'POST /image/create': 'computes',
  'POST /v1/chat/completions': 'computes',
  'POST /v1/completions': 'computes',
  'POST /v1/embeddings': 'computes',
  'POST /tokenize': 'computes',
  'POST /detokenize': 'computes',
  'GET /tokenizer_info': 'computes',
  'POST /v1/fine_tuning/alpha/graders/run': 'computes',
  'POST /v1/fine_tuning/alpha/graders/validate': 'computes',
  ...Object.fromEntries(writes().map((key) => [key, 'writes' as const])),
};

function runPath({ openaiEval, openaiRun }: Ids): string {
  return `/v1/evals/${openaiEval}/runs/${openaiRun}`;
}

function resourceReads(kind: string, noun: string): typeof readEndpoints {
  const pattern = `/v2/{entity}/{project}/${kind}`;
  return {
    [`GET ${pattern}`]: () => ({ path: `/v2/${project}/${kind}` }),
    [`GET ${pattern}/{object_id}/versions/{digest}`]: ({ versions }) => ({
      path: `/v2/${project}/${kind}/${versions[noun]!.id}/versions/${versions[noun]!.digest}`,
    }),
  };
}

function partReads(kind: string, idName: string, idOf: (ids: Ids) => string): typeof readEndpoints {
  const pattern = `/v2/{entity}/{project}/${kind}`;
  return {
    [`GET ${pattern}`]: () => ({ path: `/v2/${project}/${kind}` }),
    [`GET ${pattern}/{${idName}}`]: (ids) => ({ path: `/v2/${project}/${kind}/${idOf(ids)}` }),
  };
}

function writes(): string[] {
  const resources = ['ops', 'datasets', 'scorers', 'models', 'evaluations'].flatMap((kind) => [
    `POST /v2/{entity}/{project}/${kind}`,
    `DELETE /v2/{entity}/{project}/${kind}/{object_id}`,
  ]);
  const parts = ['evaluation_runs', 'predictions', 'scores'].flatMap((kind) => [
    `POST /v2/{entity}/{project}/${kind}`,
    `DELETE /v2/{entity}/{project}/${kind}`,
  ]);
  return [
    ...resources,
    ...parts,
    'POST /v2/{entity}/{project}/evaluation_runs/{evaluation_run_id}/finish',
    'POST /v2/{entity}/{project}/predictions/{prediction_id}/finish',
    'POST /session',
    'DELETE /session',
    'POST /keys',
    'DELETE /keys/{key_id}',
    'POST /entities/{entity}/members',
    'DELETE /entities/{entity}/members/{username}',
    'PUT /secrets',
    'DELETE /secrets/{name}',
    'POST /call/start',
    'POST /call/end',
    'POST /call/upsert_batch',
    'POST /v2/{entity}/{project}/call/start',
    'POST /v2/{entity}/{project}/call/end',
    'POST /v2/{entity}/{project}/calls/complete',
    'POST /call/update',
    'POST /calls/delete',
    'POST /calls/score',
    'POST /calls/train',
    'POST /calls/train_sft',
    'POST /cost/create',
    'POST /cost/purge',
    'POST /feedback/create',
    'POST /feedback/batch/create',
    'POST /feedback/purge',
    'POST /feedback/replace',
    'POST /obj/create',
    'POST /obj/delete',
    'PUT /objs/{object_id}/aliases',
    'POST /objs/{object_id}/aliases/remove',
    'PUT /objs/{object_id}/versions/{digest}/tags',
    'POST /objs/{object_id}/versions/{digest}/tags/remove',
    'POST /otel/v1/traces',
    'POST /v1/traces',
    'POST /agents/otel/v1/traces',
    'POST /otel/v1/logs',
    'POST /v1/logs',
    'POST /otel/v1/metrics',
    'POST /v1/metrics',
    'POST /table/create',
    'POST /table/create_from_digests',
    'POST /table/update',
    'POST /file/create',
    'POST /annotation_queues',
    'PUT /annotation_queues/{queue_id}',
    'DELETE /annotation_queues/{queue_id}',
    'POST /annotation_queues/{queue_id}/items',
    'POST /annotation_queues/{queue_id}/items/{item_id}/progress',
    'POST /evaluations/evaluate_model',
    'POST /link_to_registry',
    'POST /v1/responses',
    'DELETE /v1/responses/{response_id}',
    'POST /v1/responses/{response_id}/cancel',
    'DELETE /v1/models/{name}',
    'DELETE /v1/models/{owner}/{name}',
    'POST /v1/load_lora_adapter',
    'POST /v1/unload_lora_adapter',
    'POST /v1/preview/models',
    'DELETE /v1/preview/models/{model_id}',
    'POST /v1/preview/models/{model_id}/log',
    'DELETE /v1/preview/models/{model_id}/checkpoints',
    'POST /v1/preview/training-jobs',
    'POST /v1/preview/sft-training-jobs',
    'POST /v1/preview/training-jobs/{job_id}/cancel',
    'POST /v1/preview/training-jobs/{job_id}/resume',
    'POST /v1/files',
    'DELETE /v1/files/{file_id}',
    'POST /v1/fine_tuning/jobs',
    'POST /v1/fine_tuning/jobs/{fine_tuning_job_id}/cancel',
    'POST /v1/fine_tuning/jobs/{fine_tuning_job_id}/pause',
    'POST /v1/fine_tuning/jobs/{fine_tuning_job_id}/resume',
    'POST /v1/evals',
    'POST /v1/evals/{eval_id}',
    'DELETE /v1/evals/{eval_id}',
    'POST /v1/evals/{eval_id}/runs',
    'POST /v1/evals/{eval_id}/runs/{run_id}/cancel',
    'DELETE /v1/evals/{eval_id}/runs/{run_id}',
    'POST /api/v1/telemetry',
    'POST /api/v1/create_session',
    'POST /api/v1/session_heartbeat',
    'POST /api/v1/sessions/{session_id}/finish',
    'POST /api/v1/create_model',
    'POST /api/v1/get_info',
    'POST /api/v1/unload_model',
    'POST /api/v1/forward_backward',
    'POST /api/v1/forward',
    'POST /api/v1/optim_step',
    'POST /api/v1/create_sampling_session',
    'POST /api/v1/join_sampling_session',
    'POST /api/v1/asample',
    'POST /api/v1/save_weights',
    'POST /api/v1/save_weights_for_sampler',
    'POST /api/v1/save_weights_external',
    'POST /api/v1/load_weights',
    'POST /api/v1/retrieve_future',
    'POST /api/v1/cancel_future',
    'DELETE /api/v1/training_runs/{run_id}/checkpoints/{kind}/{name}',
    'PUT /api/v1/training_runs/{run_id}/checkpoints/{kind}/{name}/ttl',
  ];
}
