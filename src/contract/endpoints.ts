import { callsComplete } from './calls/complete.ts';
import { callsDelete } from './calls/delete.ts';
import { callEnd } from './calls/end.ts';
import { callEndV2 } from './calls/end-v2.ts';
import { callsQueryStats } from './calls/query-stats.ts';
import { callRead } from './calls/read.ts';
import { callStart } from './calls/start.ts';
import { callStartV2 } from './calls/start-v2.ts';
import { callsStreamQuery } from './calls/stream-query.ts';
import { callUpdate } from './calls/update.ts';
import { callUpsertBatch } from './calls/upsert-batch.ts';
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
  modelsList,
  modelRead,
  modelReadInTwoParts,
];
