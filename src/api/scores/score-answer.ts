import type { FoundCall } from '../../domain/calls/found-call.ts';
import { outputOf, scorerOf } from '../../domain/evaluations/marks.ts';
import type { RunOf } from '../../services/evaluations/evaluation-calls.ts';
import { JsonText } from '../../util/json/json-text.ts';

/** What clients know as a score without a value. */
const zero = new JsonText('0.0');

export function scoreAnswer({ call, runId }: { call: FoundCall } & Pick<RunOf, 'runId'>) {
  const value = outputOf(call);
  return {
    score_id: call.id,
    scorer: scorerOf(call),
    value: value.kind === 'null' ? zero : value,
    evaluation_run_id: runId,
    wb_user_id: call.wbUserId || null,
  };
}
