import { newId } from '../contract/ids.ts';
import type { TrainedCall } from '../domain/training/trained-call.ts';
import type { RecordCalls } from '../services/calls/record-calls.ts';
import type { TrainingJob } from '../store/postgres/training/jobs.ts';
import type { TrainedModel } from '../store/postgres/training/models.ts';
import { toJson } from '../util/json/write.ts';

/** Writes calls to the trace store. */
export type TrainingRecorder = Pick<RecordCalls, 'recordLater'>;

const opName = 'heddle.train';

type Recorded = {
  job: TrainingJob;
  model: TrainedModel;
  step: number;
  /** The data it was trained on. */
  report: { calls: TrainedCall[] };
  metrics: Record<string, number>;
  /** Milliseconds since 1970. */
  startedAt: number;
};

/** Records a finished job as a call of its project. `inputs.rollouts` are the ids of the chat calls it learned from. */
export function recordTraining(recorder: TrainingRecorder, recorded: Recorded): void {
  const { job, model, step, report, metrics, startedAt } = recorded;
  const endedAt = Date.now();
  const { calls, ...counts } = report;
  const make = () => ({
    id: newId(),
    traceId: newId(),
    opName,
    startedAt: startedAt * 1000,
    endedAt: endedAt * 1000,
    threadId: null,
    turnId: null,
    inputs: toJson({
      model: model.name,
      type: job.kind,
      base_model: model.baseModel,
      config: job.config,
      rollouts: calls.filter(({ split }) => split === 'train').map(({ callId }) => callId),
      ...counts,
    }),
    attributes: toJson({ heddle: { training_job: job.id, model_id: model.id, step } }),
    output: toJson({ step, metrics }),
    exception: undefined,
    summary: toJson({}),
  });
  recorder.recordLater({ projectId: model.projectId, userId: job.createdBy }, make, 1000 + 50 * calls.length);
}
