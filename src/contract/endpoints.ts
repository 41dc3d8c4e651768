import { annotationQueueAddCalls } from './annotation-queues/add-calls.ts';
import { annotationQueueCreate } from './annotation-queues/create.ts';
import { annotationQueueDelete } from './annotation-queues/delete.ts';
import { annotationQueuesQuery } from './annotation-queues/query.ts';
import { annotationQueueItemsQuery } from './annotation-queues/query-items.ts';
import { annotationQueueRead } from './annotation-queues/read.ts';
import { annotationQueuesStats } from './annotation-queues/stats.ts';
import { annotationQueueUpdate } from './annotation-queues/update.ts';
import { annotationProgressUpdate } from './annotation-queues/update-progress.ts';
import { callsComplete } from './calls/complete.ts';
import { callsDelete } from './calls/delete.ts';
import { callEnd } from './calls/end.ts';
import { callEndV2 } from './calls/end-v2.ts';
import { callsQueryStats } from './calls/query-stats.ts';
import { callRead } from './calls/read.ts';
import { callStart } from './calls/start.ts';
import { callStartV2 } from './calls/start-v2.ts';
import { callsStats } from './calls/stats.ts';
import { callsStreamQuery } from './calls/stream-query.ts';
import { traceUsage } from './calls/trace-usage.ts';
import { callUpdate } from './calls/update.ts';
import { callUpsertBatch } from './calls/upsert-batch.ts';
import { callsUsage } from './calls/usage.ts';
import { analysisModels } from './catalogue/analysis-models.ts';
import { inferenceHardware } from './catalogue/hardware.ts';
import { routerModels } from './catalogue/router-models.ts';
import { chatCompletions } from './chat/completions.ts';
import { costCreate } from './costs/create.ts';
import { costPurge } from './costs/purge.ts';
import { costQuery } from './costs/query.ts';
import type { Endpoint } from './endpoint.ts';
import { evalResultsQuery } from './eval-results/query.ts';
import {
  evaluationRunCreate,
  evaluationRunDelete,
  evaluationRunFinish,
  evaluationRunList,
  evaluationRunRead,
} from './evaluation-runs/evaluation-runs.ts';
import { feedbackAggregate } from './feedback/aggregate.ts';
import { feedbackBatchCreate } from './feedback/batch-create.ts';
import { feedbackCreate } from './feedback/create.ts';
import { feedbackPayloadSchema } from './feedback/payload-schema.ts';
import { feedbackPurge } from './feedback/purge.ts';
import { feedbackQuery } from './feedback/query.ts';
import { feedbackReplace } from './feedback/replace.ts';
import { feedbackStats } from './feedback/stats.ts';
import { fileContent } from './files/content.ts';
import { fileCreate } from './files/create.ts';
import { filesStats } from './files/stats.ts';
import { objAddTags } from './labels/add-tags.ts';
import { aliasesList } from './labels/list-aliases.ts';
import { tagsList } from './labels/list-tags.ts';
import { objRemoveAliases } from './labels/remove-aliases.ts';
import { objRemoveTags } from './labels/remove-tags.ts';
import { objSetAliases } from './labels/set-aliases.ts';
import { modelsList } from './models/list.ts';
import { modelRead, modelReadInTwoParts } from './models/read.ts';
import { objCreate } from './objects/create.ts';
import { objDelete } from './objects/delete.ts';
import { objsQuery } from './objects/query.ts';
import { objRead } from './objects/read.ts';
import { spanExplain } from './otel/explain.ts';
import { otelLogs, standardLogs } from './otel/logs.ts';
import { otelMetrics, standardMetrics } from './otel/metrics.ts';
import { agentTraces, otelTraces, standardTraces } from './otel/traces.ts';
import {
  predictionCreate,
  predictionDelete,
  predictionFinish,
  predictionList,
  predictionRead,
} from './predictions/predictions.ts';
import { refsReadBatch } from './refs/read-batch.ts';
import { datasets } from './resources/datasets.ts';
import { evaluations } from './resources/evaluations.ts';
import { models } from './resources/models.ts';
import { ops } from './resources/ops.ts';
import { scorers } from './resources/scorers.ts';
import { scoreCreate, scoreDelete, scoreList, scoreRead } from './scores/scores.ts';
import { geolocate } from './service/geolocate.ts';
import { health } from './service/health.ts';
import { openapiJson } from './service/openapi.ts';
import { projectsInfo } from './service/projects-info.ts';
import { serverInfo } from './service/server-info.ts';
import { readVersion } from './service/version.ts';
import { tableCreate } from './tables/create.ts';
import { tableCreateFromDigests } from './tables/create-from-digests.ts';
import { tableQuery } from './tables/query.ts';
import { tableQueryStats } from './tables/query-stats.ts';
import { tableQueryStatsBatch } from './tables/query-stats-batch.ts';
import { tableQueryStream } from './tables/query-stream.ts';
import { tableUpdate } from './tables/update.ts';
import { threadsStreamQuery } from './threads/stream-query.ts';

/** All endpoints served, in the order of the documentation. `api/routes.ts` says what answers each. */
export const endpoints: Endpoint[] = [
  health,
  readVersion,
  serverInfo,
  openapiJson,
  projectsInfo,
  geolocate,
  callStart,
  callEnd,
  callUpsertBatch,
  callStartV2,
  callEndV2,
  callsComplete,
  callUpdate,
  callsDelete,
  callRead,
  callsStreamQuery,
  callsQueryStats,
  callsStats,
  callsUsage,
  traceUsage,
  costCreate,
  costQuery,
  costPurge,
  feedbackCreate,
  feedbackBatchCreate,
  feedbackQuery,
  feedbackPurge,
  feedbackReplace,
  feedbackStats,
  feedbackPayloadSchema,
  feedbackAggregate,
  objCreate,
  objRead,
  objsQuery,
  objDelete,
  aliasesList,
  tagsList,
  objSetAliases,
  objRemoveAliases,
  objAddTags,
  objRemoveTags,
  otelTraces,
  standardTraces,
  agentTraces,
  otelLogs,
  standardLogs,
  otelMetrics,
  spanExplain,
  standardMetrics,
  refsReadBatch,
  tableCreate,
  tableCreateFromDigests,
  tableUpdate,
  tableQuery,
  tableQueryStream,
  tableQueryStats,
  tableQueryStatsBatch,
  fileCreate,
  fileContent,
  filesStats,
  threadsStreamQuery,
  annotationQueueCreate,
  annotationQueuesQuery,
  annotationQueuesStats,
  annotationQueueRead,
  annotationQueueUpdate,
  annotationQueueDelete,
  annotationQueueAddCalls,
  annotationQueueItemsQuery,
  annotationProgressUpdate,
  ...[ops, datasets, scorers, models, evaluations].flatMap((resource) => Object.values(resource)),
  evaluationRunCreate,
  evaluationRunRead,
  evaluationRunList,
  evaluationRunFinish,
  evaluationRunDelete,
  predictionCreate,
  predictionRead,
  predictionList,
  predictionFinish,
  predictionDelete,
  scoreCreate,
  scoreRead,
  scoreList,
  scoreDelete,
  evalResultsQuery,
  routerModels,
  analysisModels,
  inferenceHardware,
  chatCompletions,
  modelsList,
  modelRead,
  modelReadInTwoParts,
];
