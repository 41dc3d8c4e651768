import type { Context } from '../../context.ts';
import { callEndpoints } from '../../contract/calls/endpoints.ts';
import { type Route, routesOf } from '../../http/bind.ts';
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

export function callRoutes(context: Context): Route[] {
  return routesOf(callEndpoints, {
    callStart: callStart(context),
    callEnd: callEnd(context),
    callUpsertBatch: callUpsertBatch(context),
    callStartV2: callStartV2(context),
    callEndV2: callEndV2(context),
    callsComplete: callsComplete(context),
    callUpdate: callUpdate(context),
    callsDelete: callsDelete(context),
    callRead: callRead(context),
    callUses: callUses(context),
    callsStreamQuery: callsStreamQuery(context),
    callsConversations: callsConversations(context),
    callsQueryStats: callsQueryStats(context),
    callsStats: callsStats(context),
    callsParseQuery: callsParseQuery(),
    callsUsage: callsUsage(context),
    traceUsage: traceUsage(context),
    callsScore: callsScore(context),
  });
}
