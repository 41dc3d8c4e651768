import type { FoundCall } from '../../domain/calls/found-call.ts';
import { outputOf, readMarks } from '../../domain/evaluations/marks.ts';
import { membersOf, stringAt } from '../../domain/resources/values.ts';
import { JsonText } from '../../util/json/json-text.ts';

/** What clients know as a score without a value. */
const zero = new JsonText('0.0');

export function scoreAnswer(call: FoundCall, runId: string | null) {
  const value = outputOf(call);
  return {
    score_id: call.id,
    scorer: readMarks(call)('scorer') ?? stringAt(membersOf(call.inputs), 'self') ?? '',
    value: value.kind === 'null' ? zero : value,
    evaluation_run_id: runId,
    wb_user_id: call.wbUserId || null,
  };
}
