import type { Context } from '../context.ts';
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
import { chatCompletions } from '../contract/chat/completions.ts';
import { costCreate } from '../contract/costs/create.ts';
import { costPurge } from '../contract/costs/purge.ts';
import { costQuery } from '../contract/costs/query.ts';
import { fileContent } from '../contract/files/content.ts';
import { fileCreate } from '../contract/files/create.ts';
import { filesStats } from '../contract/files/stats.ts';
import { modelsList } from '../contract/models/list.ts';
import { modelRead, modelReadInTwoParts } from '../contract/models/read.ts';
import { objCreate } from '../contract/objects/create.ts';
import { objDelete } from '../contract/objects/delete.ts';
import { objsQuery } from '../contract/objects/query.ts';
import { objRead } from '../contract/objects/read.ts';
import { agentTraces, otelTraces, standardTraces } from '../contract/otel/traces.ts';
import { refsReadBatch } from '../contract/refs/read-batch.ts';
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
import { completeChat } from './chat/completions.ts';
import { createCosts } from './costs/create.ts';
import { purgeCosts } from './costs/purge.ts';
import { queryCosts } from './costs/query.ts';
import { readFileContent } from './files/content.ts';
import { createFile } from './files/create.ts';
import { measureFiles } from './files/stats.ts';
import { openUploads } from './files/uploads.ts';
import { showModels } from './models/list.ts';
import { showModel, showModelInTwoParts } from './models/read.ts';
import { createObject } from './objects/create.ts';
import { deleteObjects } from './objects/delete.ts';
import { queryObjects } from './objects/query.ts';
import { readObject } from './objects/read.ts';
import { exportAgentTraces } from './otel/export-agent-traces.ts';
import { exportTraces } from './otel/export-traces.ts';
import { openOps } from './otel/ops.ts';
import { readRefs } from './refs/read-batch.ts';
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
  const ops = openOps(context);
  const uploads = openUploads();
  return [
    route(health, showHealth()),
    route(readVersion, showVersion()),
    route(serverInfo, showServerInfo()),
    route(openapiJson, showOpenapi()),
    route(projectsInfo, showProjects(context)),

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

    route(objCreate, createObject(context)),
    route(objRead, readObject(context)),
    route(objsQuery, queryObjects(context)),
    route(objDelete, deleteObjects(context)),

    route(otelTraces, exportTraces(context, ops)),
    route(standardTraces, exportTraces(context, ops)),
    route(agentTraces, exportAgentTraces(context, ops)),

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

    route(chatCompletions, completeChat(context)),
    route(modelsList, showModels(context)),
    route(modelRead, showModel(context)),
    route(modelReadInTwoParts, showModelInTwoParts(context)),
  ];
}
