import type { Deps } from '../deps.ts';
import { openQueryCalls, type QueryCalls } from './query-calls.ts';
import { type CallSettings, openRecordCalls, type RecordCalls } from './record-calls.ts';
import { type MeasureStats, openMeasureStats } from './stats-of-calls.ts';
import { type MeasureUse, openMeasureUse } from './use-of-calls.ts';
import { type FindUses, openFindUses } from './uses-of-call.ts';

/** What can be done with the calls of a project. */
export type Calls = RecordCalls & QueryCalls & MeasureUse & MeasureStats & FindUses;

export function openCalls(deps: Deps, settings: CallSettings): Calls {
  return {
    ...openRecordCalls(deps, settings),
    ...openQueryCalls(deps),
    ...openMeasureUse(deps),
    ...openMeasureStats(deps),
    ...openFindUses(deps),
  };
}
