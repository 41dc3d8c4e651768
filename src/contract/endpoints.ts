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
import { chatCompletions } from './chat/completions.ts';
import { costCreate } from './costs/create.ts';
import { costPurge } from './costs/purge.ts';
import { costQuery } from './costs/query.ts';
import type { Endpoint } from './endpoint.ts';
import { fileContent } from './files/content.ts';
import { fileCreate } from './files/create.ts';
import { filesStats } from './files/stats.ts';
import { modelsList } from './models/list.ts';
import { modelRead, modelReadInTwoParts } from './models/read.ts';
import { objCreate } from './objects/create.ts';
import { objDelete } from './objects/delete.ts';
import { objsQuery } from './objects/query.ts';
import { objRead } from './objects/read.ts';
import { agentTraces, otelTraces, standardTraces } from './otel/traces.ts';
import { refsReadBatch } from './refs/read-batch.ts';
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
  objCreate,
  objRead,
  objsQuery,
  objDelete,
  otelTraces,
  standardTraces,
  agentTraces,
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
  chatCompletions,
  modelsList,
  modelRead,
  modelReadInTwoParts,
];
