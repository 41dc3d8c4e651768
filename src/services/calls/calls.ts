import type { Deps } from '../deps.ts';
import { openReadConversations, type ReadConversations } from './conversations-of-calls.ts';
import { openQueryCalls, type QueryCalls } from './query-calls.ts';
import { type CallSettings, openRecordCalls, type RecordCalls } from './record-calls.ts';
import { type MeasureStats, openMeasureStats } from './stats-of-calls.ts';
import { type MeasureUse, openMeasureUse } from './use-of-calls.ts';
import { type FindUses, openFindUses } from './uses-of-call.ts';

/** Operations on the calls of a project. */
export type Calls = RecordCalls & QueryCalls & MeasureUse & MeasureStats & FindUses & ReadConversations;

export function openCalls(deps: Deps, settings: CallSettings): Calls {
  const queries = openQueryCalls(deps);
  return {
    ...openRecordCalls(deps, settings),
    ...queries,
    ...openMeasureUse(deps),
    ...openMeasureStats(deps),
    ...openFindUses(deps),
    ...openReadConversations(queries),
  };
}
