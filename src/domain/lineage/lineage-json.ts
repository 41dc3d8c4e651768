import { formatTimestamp } from '../../util/timestamp.ts';
import type {
  AnswerInLineage,
  CallInLineage,
  CheckpointInLineage,
  Lineage,
  RowInLineage,
  ScoreInLineage,
  UseInLineage,
} from './lineage.ts';

/** A lineage as clients see it. */
export function lineageJson({ call, checkpoint, job, before, rows, next, uses }: Lineage) {
  return {
    call: call && { id: call.id, answer: call.answer && answerJson(call.answer), scores: call.scores.map(scoreJson) },
    checkpoint: checkpoint && checkpointJson(checkpoint),
    job: job && jobJson(job),
    before: before && checkpointJson(before),
    rows: rows.map(rowJson),
    next,
    uses: uses.map(useJson),
  };
}

export type LineageJson = ReturnType<typeof lineageJson>;

function answerJson({ model, baseModelId, adapterId, policy }: AnswerInLineage) {
  return { model, base_model_id: baseModelId, adapter_id: adapterId, policy };
}

function checkpointJson({ id, step, model, project, baseModel, createdAt }: CheckpointInLineage) {
  return { id, step, model, project, base_model: baseModel, created_at: createdAt.toISOString() };
}

function jobJson({ id, kind, status, createdBy, createdAt, startedAt, endedAt, calls }: NonNullable<Lineage['job']>) {
  return {
    ...{ id, type: kind, status, created_by: createdBy, created_at: createdAt.toISOString() },
    ...{ started_at: startedAt?.toISOString() ?? null, ended_at: endedAt?.toISOString() ?? null, calls },
  };
}

function rowJson({ callId, weight, split, call, scores }: RowInLineage) {
  return { call_id: callId, weight, split, call: call && callJson(call), scores: scores.map(scoreJson) };
}

function useJson({ job, weight, split, checkpoint, answers }: UseInLineage) {
  const { id, kind, status, model } = job;
  const { count, hasMore, newest } = answers;
  return {
    job: { id, type: kind, status, model },
    ...{ weight, split, checkpoint, answers: { count, has_more: hasMore, newest: newest.map(callJson) } },
  };
}

function callJson({ id, opName, displayName, traceId, startedAt, adapterId }: CallInLineage) {
  return {
    ...{ id, op_name: opName, display_name: displayName, trace_id: traceId },
    ...{ started_at: formatTimestamp(startedAt), adapter_id: adapterId },
  };
}

function scoreJson({ id, type, payload, createdAt, user, creator, judge, judgeCall, annotation }: ScoreInLineage) {
  return {
    ...{ id, feedback_type: type, payload, created_at: createdAt, user, creator },
    ...{ judge_ref: judge, judge_call_ref: judgeCall, annotation_ref: annotation },
  };
}
