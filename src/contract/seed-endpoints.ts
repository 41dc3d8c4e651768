/**
 * All endpoints that heddle was asked to serve, with what will serve those that are not there yet. A test holds this list
 * against what is served; paths not built stay absent, and are not stubbed.
 */
export const seedEndpoints: SeedEndpoint[] = [
  // Calls
  ['POST', '/call/end'],
  ['POST', '/call/read'],
  ['POST', '/call/start'],
  ['POST', '/call/update'],
  ['POST', '/call/upsert_batch'],
  ['POST', '/calls/delete'],
  ['POST', '/calls/query_stats'],
  ['POST', '/calls/stats'],
  ['POST', '/calls/stream_query'],
  ['POST', '/calls/usage'],
  ['POST', '/trace/usage'],
  // Costs
  ['POST', '/cost/create'],
  ['POST', '/cost/purge'],
  ['POST', '/cost/query'],
  // Feedback
  ['POST', '/feedback/batch/create'],
  ['POST', '/feedback/create'],
  ['POST', '/feedback/payload_schema'],
  ['POST', '/feedback/purge'],
  ['POST', '/feedback/query'],
  ['POST', '/feedback/replace'],
  ['POST', '/feedback/stats'],
  // Files
  ['POST', '/file/content'],
  ['POST', '/file/create'],
  ['POST', '/files/query_stats'],
  // Objects
  ['GET', '/aliases'],
  ['POST', '/obj/create'],
  ['POST', '/obj/delete'],
  ['POST', '/obj/read'],
  ['POST', '/objs/query'],
  ['PUT', '/objs/{object_id}/aliases'],
  ['POST', '/objs/{object_id}/aliases/remove'],
  ['PUT', '/objs/{object_id}/versions/{digest}/tags'],
  ['POST', '/objs/{object_id}/versions/{digest}/tags/remove'],
  ['GET', '/tags'],
  // OpenTelemetry
  ['POST', '/otel/v1/traces'],
  // Refs
  ['POST', '/refs/read_batch'],
  // Service
  ['GET', '/geolocate'],
  ['GET', '/health'],
  ['GET', '/server_info'],
  ['POST', '/service/projects_info'],
  ['GET', '/version'],
  // Tables
  ['POST', '/table/create'],
  ['POST', '/table/create_from_digests'],
  ['POST', '/table/query'],
  ['POST', '/table/query_stats'],
  ['POST', '/table/query_stats_batch'],
  ['POST', '/table/update'],
  ['POST', '/table/query_stream'],
  // Threads
  ['POST', '/threads/stream_query'],
  // Inference catalogue
  ['GET', '/inference/analysis/{provider}/models'],
  ['GET', '/inference/{provider}/v2/hardware'],
  ['GET', '/inference/router/{provider}/models'],
  // Annotation queues
  ['POST', '/annotation_queues'],
  ['POST', '/annotation_queues/query'],
  ['POST', '/annotation_queues/stats'],
  ['DELETE', '/annotation_queues/{queue_id}'],
  ['GET', '/annotation_queues/{queue_id}'],
  ['PUT', '/annotation_queues/{queue_id}'],
  ['POST', '/annotation_queues/{queue_id}/items'],
  ['POST', '/annotation_queues/{queue_id}/items/query'],
  ['POST', '/annotation_queues/{queue_id}/items/{item_id}/progress'],
  // Evaluations
  ['POST', '/evaluations/evaluate_model', 'evaluations'],
  ['POST', '/evaluations/status', 'evaluations'],
  ['GET', '/v2/{entity}/{project}/evaluations'],
  ['POST', '/v2/{entity}/{project}/evaluations'],
  ['DELETE', '/v2/{entity}/{project}/evaluations/{object_id}'],
  ['GET', '/v2/{entity}/{project}/evaluations/{object_id}/versions/{digest}'],
  // Scores
  ['POST', '/calls/score', 'evaluations'],
  ['DELETE', '/v2/{entity}/{project}/scores'],
  ['GET', '/v2/{entity}/{project}/scores'],
  ['POST', '/v2/{entity}/{project}/scores'],
  ['GET', '/v2/{entity}/{project}/scores/{score_id}'],
  // Images and registry
  ['POST', '/image/create', 'evaluations'],
  ['POST', '/link_to_registry', 'evaluations'],
  // Ops
  ['GET', '/v2/{entity}/{project}/ops'],
  ['POST', '/v2/{entity}/{project}/ops'],
  ['DELETE', '/v2/{entity}/{project}/ops/{object_id}'],
  ['GET', '/v2/{entity}/{project}/ops/{object_id}/versions/{digest}'],
  // Datasets
  ['GET', '/v2/{entity}/{project}/datasets'],
  ['POST', '/v2/{entity}/{project}/datasets'],
  ['DELETE', '/v2/{entity}/{project}/datasets/{object_id}'],
  ['GET', '/v2/{entity}/{project}/datasets/{object_id}/versions/{digest}'],
  // Scorers
  ['GET', '/v2/{entity}/{project}/scorers'],
  ['POST', '/v2/{entity}/{project}/scorers'],
  ['DELETE', '/v2/{entity}/{project}/scorers/{object_id}'],
  ['GET', '/v2/{entity}/{project}/scorers/{object_id}/versions/{digest}'],
  // Models
  ['GET', '/v2/{entity}/{project}/models'],
  ['POST', '/v2/{entity}/{project}/models'],
  ['DELETE', '/v2/{entity}/{project}/models/{object_id}'],
  ['GET', '/v2/{entity}/{project}/models/{object_id}/versions/{digest}'],
  // Evaluation runs
  ['DELETE', '/v2/{entity}/{project}/evaluation_runs'],
  ['GET', '/v2/{entity}/{project}/evaluation_runs'],
  ['POST', '/v2/{entity}/{project}/evaluation_runs'],
  ['GET', '/v2/{entity}/{project}/evaluation_runs/{evaluation_run_id}'],
  ['POST', '/v2/{entity}/{project}/evaluation_runs/{evaluation_run_id}/finish'],
  // Predictions
  ['DELETE', '/v2/{entity}/{project}/predictions'],
  ['GET', '/v2/{entity}/{project}/predictions'],
  ['POST', '/v2/{entity}/{project}/predictions'],
  ['GET', '/v2/{entity}/{project}/predictions/{prediction_id}'],
  ['POST', '/v2/{entity}/{project}/predictions/{prediction_id}/finish'],
  // Eval results
  ['POST', '/v2/{entity}/{project}/eval_results/query'],
  // Training
  ['POST', '/v1/chat/completions'],
  ['POST', '/v1/chat/completions/'],
  ['POST', '/v1/preview/models', 'training'],
  ['DELETE', '/v1/preview/models/{model_id}', 'training'],
  ['DELETE', '/v1/preview/models/{model_id}/checkpoints', 'training'],
  ['GET', '/v1/preview/models/{model_id}/checkpoints', 'training'],
  ['POST', '/v1/preview/models/{model_id}/log', 'training'],
  ['POST', '/v1/preview/sft-training-jobs', 'training'],
  ['POST', '/v1/preview/training-jobs', 'training'],
  ['GET', '/v1/preview/training-jobs/{job_id}', 'training'],
  ['GET', '/v1/preview/training-jobs/{job_id}/events', 'training'],
  ['GET', '/v1/health', 'training'],
  ['GET', '/v1/system-check', 'training'],
];

/** A method, a path and, while it is not served, the part of the work that will serve it. */
export type SeedEndpoint = [method: 'GET' | 'POST' | 'PUT' | 'DELETE', path: string, later?: keyof typeof laterParts];

export const laterParts = {
  evaluations: 'evaluations and the versioned resources',
  training: 'training',
};
