import type { FoundCall } from '../../domain/calls/found-call.ts';
import { inputsOf, modelOf, outputOf } from '../../domain/evaluations/marks.ts';

export function predictionAnswer(call: FoundCall, runId: string | null) {
  return {
    prediction_id: call.id,
    model: modelOf(call),
    inputs: inputsOf(call),
    output: outputOf(call),
    evaluation_run_id: runId,
    wb_user_id: call.wbUserId || null,
  };
}
