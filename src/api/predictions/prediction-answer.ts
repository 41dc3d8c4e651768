import type { FoundCall } from '../../domain/calls/found-call.ts';
import { inputsOf, modelOf, outputOf } from '../../domain/evaluations/marks.ts';
import type { RunOf } from '../../services/evaluations/evaluation-calls.ts';

export function predictionAnswer({ call, runId, model }: { call: FoundCall } & RunOf) {
  return {
    prediction_id: call.id,
    model: modelOf(call) || model,
    inputs: inputsOf(call),
    output: outputOf(call),
    evaluation_run_id: runId,
    wb_user_id: call.wbUserId || null,
  };
}
