import { callsComplete } from './complete.ts';
import { callsConversations } from './conversations.ts';
import { callsDelete } from './delete.ts';
import { callEnd } from './end.ts';
import { callEndV2 } from './end-v2.ts';
import { callsParseQuery } from './parse-query.ts';
import { callsQueryStats } from './query-stats.ts';
import { callRead } from './read.ts';
import { callsScore } from './score.ts';
import { callStart } from './start.ts';
import { callStartV2 } from './start-v2.ts';
import { callsStats } from './stats.ts';
import { callsStreamQuery } from './stream-query.ts';
import { traceUsage } from './trace-usage.ts';
import { callUpdate } from './update.ts';
import { callUpsertBatch } from './upsert-batch.ts';
import { callsUsage } from './usage.ts';
import { callUses } from './uses.ts';

/** The endpoints of this group, in the order of the documentation. `api/calls/routes.ts` has a handler for each. */
export const callEndpoints = {
  callStart,
  callEnd,
  callUpsertBatch,
  callStartV2,
  callEndV2,
  callsComplete,
  callUpdate,
  callsDelete,
  callRead,
  callUses,
  callsStreamQuery,
  callsConversations,
  callsQueryStats,
  callsStats,
  callsParseQuery,
  callsUsage,
  traceUsage,
  callsScore,
};
