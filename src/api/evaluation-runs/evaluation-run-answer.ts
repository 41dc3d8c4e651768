import { callJson } from '../../domain/calls/call-json.ts';
import { evaluationOf, modelOf } from '../../domain/evaluations/marks.ts';
import { membersOf } from '../../domain/resources/values.ts';
import type { AnsweredCall } from '../../services/calls/answered-call.ts';
import { formatTimestamp } from '../../util/timestamp.ts';

const statuses = { running: 'running', success: 'completed', error: 'failed', descendant_error: 'completed' } as const;

/** A run as lists show it. */
export function runAnswer({ call, extras }: AnsweredCall, projectName: string) {
  return {
    evaluation_run_id: call.id,
    evaluation: evaluationOf(call),
    model: modelOf(call),
    status: statuses[call.status],
    started_at: formatTimestamp(call.startedAt),
    finished_at: call.endedAt === null ? null : formatTimestamp(call.endedAt),
    summary: membersOf(callJson(call, projectName, null, undefined, extras)).summary,
    source_evaluation_run_id: null,
  };
}
