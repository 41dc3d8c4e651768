import type { Context } from '../context.ts';
import { annotationQueueAddCalls } from '../contract/annotation-queues/add-calls.ts';
import { annotationQueueCreate } from '../contract/annotation-queues/create.ts';
import { annotationQueueDelete } from '../contract/annotation-queues/delete.ts';
import { annotationQueuesQuery } from '../contract/annotation-queues/query.ts';
import { annotationQueueItemsQuery } from '../contract/annotation-queues/query-items.ts';
import { annotationQueueRead } from '../contract/annotation-queues/read.ts';
import { annotationQueuesStats } from '../contract/annotation-queues/stats.ts';
import { annotationQueueUpdate } from '../contract/annotation-queues/update.ts';
import { annotationProgressUpdate } from '../contract/annotation-queues/update-progress.ts';
import { callsComplete } from '../contract/calls/complete.ts';
import { callsDelete } from '../contract/calls/delete.ts';
import { callEnd } from '../contract/calls/end.ts';
import { callEndV2 } from '../contract/calls/end-v2.ts';
import { callsQueryStats } from '../contract/calls/query-stats.ts';
import { callRead } from '../contract/calls/read.ts';
import { callStart } from '../contract/calls/start.ts';
import { callStartV2 } from '../contract/calls/start-v2.ts';
import { callsStats } from '../contract/calls/stats.ts';
import { callsStreamQuery } from '../contract/calls/stream-query.ts';
import { traceUsage } from '../contract/calls/trace-usage.ts';
import { callUpdate } from '../contract/calls/update.ts';
import { callUpsertBatch } from '../contract/calls/upsert-batch.ts';
import { callsUsage } from '../contract/calls/usage.ts';
import { analysisModels } from '../contract/catalogue/analysis-models.ts';
import { inferenceHardware } from '../contract/catalogue/hardware.ts';
import { routerModels } from '../contract/catalogue/router-models.ts';
import { chatCompletions } from '../contract/chat/completions.ts';
import { costCreate } from '../contract/costs/create.ts';
import { costPurge } from '../contract/costs/purge.ts';
import { costQuery } from '../contract/costs/query.ts';
import { feedbackAggregate } from '../contract/feedback/aggregate.ts';
import { feedbackBatchCreate } from '../contract/feedback/batch-create.ts';
import { feedbackCreate } from '../contract/feedback/create.ts';
import { feedbackPayloadSchema } from '../contract/feedback/payload-schema.ts';
import { feedbackPurge } from '../contract/feedback/purge.ts';
import { feedbackQuery } from '../contract/feedback/query.ts';
import { feedbackReplace } from '../contract/feedback/replace.ts';
import { feedbackStats } from '../contract/feedback/stats.ts';
import { fileContent } from '../contract/files/content.ts';
import { fileCreate } from '../contract/files/create.ts';
import { filesStats } from '../contract/files/stats.ts';
import { objAddTags } from '../contract/labels/add-tags.ts';
import { aliasesList } from '../contract/labels/list-aliases.ts';
import { tagsList } from '../contract/labels/list-tags.ts';
import { objRemoveAliases } from '../contract/labels/remove-aliases.ts';
import { objRemoveTags } from '../contract/labels/remove-tags.ts';
import { objSetAliases } from '../contract/labels/set-aliases.ts';
import { modelsList } from '../contract/models/list.ts';
import { modelRead, modelReadInTwoParts } from '../contract/models/read.ts';
import { objCreate } from '../contract/objects/create.ts';
import { objDelete } from '../contract/objects/delete.ts';
import { objsQuery } from '../contract/objects/query.ts';
import { objRead } from '../contract/objects/read.ts';
import { spanExplain } from '../contract/otel/explain.ts';
import { otelLogs, standardLogs } from '../contract/otel/logs.ts';
import { otelMetrics, standardMetrics } from '../contract/otel/metrics.ts';
import { agentTraces, otelTraces, standardTraces } from '../contract/otel/traces.ts';
import { refsReadBatch } from '../contract/refs/read-batch.ts';
import { geolocate } from '../contract/service/geolocate.ts';
import { health } from '../contract/service/health.ts';
import { openapiJson } from '../contract/service/openapi.ts';
import { projectsInfo } from '../contract/service/projects-info.ts';
import { serverInfo } from '../contract/service/server-info.ts';
import { readVersion } from '../contract/service/version.ts';
import { tableCreate } from '../contract/tables/create.ts';
import { tableCreateFromDigests } from '../contract/tables/create-from-digests.ts';
import { tableQuery } from '../contract/tables/query.ts';
import { tableQueryStats } from '../contract/tables/query-stats.ts';
import { tableQueryStatsBatch } from '../contract/tables/query-stats-batch.ts';
import { tableQueryStream } from '../contract/tables/query-stream.ts';
import { tableUpdate } from '../contract/tables/update.ts';
import { threadsStreamQuery } from '../contract/threads/stream-query.ts';
import { type Route, route } from '../http/bind.ts';
import { addCallsToQueue } from './annotation-queues/add-calls.ts';
import { createAnnotationQueue } from './annotation-queues/create.ts';
import { deleteAnnotationQueue } from './annotation-queues/delete.ts';
import { streamAnnotationQueues } from './annotation-queues/query.ts';
import { queryQueueItems } from './annotation-queues/query-items.ts';
import { showAnnotationQueue } from './annotation-queues/read.ts';
import { showAnnotationQueueStats } from './annotation-queues/stats.ts';
import { updateAnnotationQueue } from './annotation-queues/update.ts';
import { updateItemProgress } from './annotation-queues/update-progress.ts';
import { completeCalls } from './calls/complete.ts';
import { deleteCalls } from './calls/delete.ts';
import { endCall } from './calls/end.ts';
import { endCallV2 } from './calls/end-v2.ts';
import { showCallStats } from './calls/query-stats.ts';
import { showCall } from './calls/read.ts';
import { startCall } from './calls/start.ts';
import { startCallV2 } from './calls/start-v2.ts';
import { measureCallStats } from './calls/stats.ts';
import { streamCalls } from './calls/stream-query.ts';
import { showTraceUsage } from './calls/trace-usage.ts';
import { updateCall } from './calls/update.ts';
import { upsertCalls } from './calls/upsert-batch.ts';
import { showCallsUsage } from './calls/usage.ts';
import { listAnalysisModels } from './catalogue/analysis-models.ts';
import { openCatalogue } from './catalogue/catalogue.ts';
import { cataloguedModel } from './catalogue/catalogued-model.ts';
import { listHardware } from './catalogue/hardware.ts';
import { listRouterModels } from './catalogue/router-models.ts';
import { openUpstream } from './catalogue/upstream.ts';
import { completeChat } from './chat/completions.ts';
import { createCosts } from './costs/create.ts';
import { purgeCosts } from './costs/purge.ts';
import { queryCosts } from './costs/query.ts';
import { aggregateFeedback } from './feedback/aggregate.ts';
import { createFeedbackBatch } from './feedback/batch-create.ts';
import { createFeedback } from './feedback/create.ts';
import { describePayloads } from './feedback/payload-schema.ts';
import { purgeFeedback } from './feedback/purge.ts';
import { queryFeedback } from './feedback/query.ts';
import { replaceFeedback } from './feedback/replace.ts';
import { showFeedbackStats } from './feedback/stats.ts';
import { readFileContent } from './files/content.ts';
import { createFile } from './files/create.ts';
import { measureFiles } from './files/stats.ts';
import { openUploads } from './files/uploads.ts';
import { addVersionTags } from './labels/add-tags.ts';
import { showAliases } from './labels/list-aliases.ts';
import { showTags } from './labels/list-tags.ts';
import { removeObjectAliases } from './labels/remove-aliases.ts';
import { removeVersionTags } from './labels/remove-tags.ts';
import { setObjectAliases } from './labels/set-aliases.ts';
import { showModels } from './models/list.ts';
import { showModel, showModelInTwoParts } from './models/read.ts';
import { createObject } from './objects/create.ts';
import { deleteObjects } from './objects/delete.ts';
import { queryObjects } from './objects/query.ts';
import { readObject } from './objects/read.ts';
import { explainSpanOfCall } from './otel/explain.ts';
import { exportAgentTraces } from './otel/export-agent-traces.ts';
import { exportLogs } from './otel/export-logs.ts';
import { exportMetrics } from './otel/export-metrics.ts';
import { exportTraces } from './otel/export-traces.ts';
import { openIntake } from './otel/intake.ts';
import { readRefs } from './refs/read-batch.ts';
import { showLocation } from './service/geolocate.ts';
import { showHealth, showOpenapi, showProjects, showServerInfo, showVersion } from './service/service.ts';
import { createTable } from './tables/create.ts';
import { createTableFromDigests } from './tables/create-from-digests.ts';
import { queryTable } from './tables/query.ts';
import { countTable } from './tables/query-stats.ts';
import { countTables } from './tables/query-stats-batch.ts';
import { streamTable } from './tables/query-stream.ts';
import { updateTable } from './tables/update.ts';
import { streamThreads } from './threads/stream-query.ts';

/** Every endpoint with what answers it: the table of contents of `api/`. */
export function routes(context: Context): Route[] {
  const intake = openIntake(context);
  const uploads = openUploads();
  const served = async () => (await context.models.list()).map(cataloguedModel);
  const catalogue = openCatalogue(served, openUpstream(context));
  return [
    route(health, showHealth(context)),
    route(readVersion, showVersion()),
    route(serverInfo, showServerInfo()),
    route(openapiJson, showOpenapi()),
    route(projectsInfo, showProjects(context)),
    route(geolocate, showLocation(context)),

    route(callStart, startCall(context)),
    route(callEnd, endCall(context)),
    route(callUpsertBatch, upsertCalls(context)),
    route(callStartV2, startCallV2(context)),
    route(callEndV2, endCallV2(context)),
    route(callsComplete, completeCalls(context)),
    route(callUpdate, updateCall(context)),
    route(callsDelete, deleteCalls(context)),
    route(callRead, showCall(context)),
    route(callsStreamQuery, streamCalls(context)),
    route(callsQueryStats, showCallStats(context)),
    route(callsStats, measureCallStats(context)),
    route(callsUsage, showCallsUsage(context)),
    route(traceUsage, showTraceUsage(context)),

    route(costCreate, createCosts(context)),
    route(costQuery, queryCosts(context)),
    route(costPurge, purgeCosts(context)),

    route(feedbackCreate, createFeedback(context)),
    route(feedbackBatchCreate, createFeedbackBatch(context)),
    route(feedbackQuery, queryFeedback(context)),
    route(feedbackPurge, purgeFeedback(context)),
    route(feedbackReplace, replaceFeedback(context)),
    route(feedbackStats, showFeedbackStats(context)),
    route(feedbackPayloadSchema, describePayloads(context)),
    route(feedbackAggregate, aggregateFeedback(context)),

    route(objCreate, createObject(context)),
    route(objRead, readObject(context)),
    route(objsQuery, queryObjects(context)),
    route(objDelete, deleteObjects(context)),

    route(aliasesList, showAliases(context)),
    route(tagsList, showTags(context)),
    route(objSetAliases, setObjectAliases(context)),
    route(objRemoveAliases, removeObjectAliases(context)),
    route(objAddTags, addVersionTags(context)),
    route(objRemoveTags, removeVersionTags(context)),

    route(otelTraces, exportTraces(context, intake)),
    route(standardTraces, exportTraces(context, intake)),
    route(agentTraces, exportAgentTraces(context, intake)),
    route(otelLogs, exportLogs(context, intake)),
    route(standardLogs, exportLogs(context, intake)),
    route(spanExplain, explainSpanOfCall(context)),
    route(otelMetrics, exportMetrics()),
    route(standardMetrics, exportMetrics()),

    route(refsReadBatch, readRefs(context)),

    route(tableCreate, createTable(context)),
    route(tableCreateFromDigests, createTableFromDigests(context)),
    route(tableUpdate, updateTable(context)),
    route(tableQuery, queryTable(context)),
    route(tableQueryStream, streamTable(context)),
    route(tableQueryStats, countTable(context)),
    route(tableQueryStatsBatch, countTables(context)),

    route(fileCreate, createFile(context, uploads)),
    route(fileContent, readFileContent(context, uploads)),
    route(filesStats, measureFiles(context)),

    route(threadsStreamQuery, streamThreads(context)),
    route(annotationQueueCreate, createAnnotationQueue(context)),
    route(annotationQueuesQuery, streamAnnotationQueues(context)),
    route(annotationQueuesStats, showAnnotationQueueStats(context)),
    route(annotationQueueRead, showAnnotationQueue(context)),
    route(annotationQueueUpdate, updateAnnotationQueue(context)),
    route(annotationQueueDelete, deleteAnnotationQueue(context)),
    route(annotationQueueAddCalls, addCallsToQueue(context)),
    route(annotationQueueItemsQuery, queryQueueItems(context)),
    route(annotationProgressUpdate, updateItemProgress(context)),

    route(routerModels, listRouterModels(catalogue)),
    route(analysisModels, listAnalysisModels(catalogue)),
    route(inferenceHardware, listHardware(catalogue)),

    route(chatCompletions, completeChat(context)),
    route(modelsList, showModels(context)),
    route(modelRead, showModel(context)),
    route(modelReadInTwoParts, showModelInTwoParts(context)),
  ];
}
