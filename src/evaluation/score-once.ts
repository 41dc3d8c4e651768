import { type FeedbackWire, feedbackCreateSchema } from '../contract/feedback/feedback.ts';
import type { NewEnd, NewStart } from '../domain/calls/new-call.ts';
import type { Owner } from '../services/owner.ts';
import { Failure } from '../util/failures.ts';
import { JsonText } from '../util/json/json-text.ts';
import { toJson } from '../util/json/write.ts';
import { nowMicroseconds } from '../util/timestamp.ts';
import type { UsageOfModels } from './models/completion-model.ts';
import { ScoreError } from './scorers/score-error.ts';
import type { Scored, Scorer } from './scorers/scorer.ts';

/** Where a score is recorded. The ids are given, so that recording it again changes nothing. */
export type ScorePlace = {
  callId: string;
  feedbackId: string;
  traceId: string;
  parentId: string | null;
  /** The ref of the scorer's op. */
  opName: string;
  attributes: object;
  /** The call that is scored. */
  scoredCallId: string;
  /** What led to the score, such as the ref of a monitor. */
  triggerRef: string | null;
  /** Of a score that was made elsewhere, in microseconds since 1970; otherwise now. */
  madeAt?: number;
};

/** `score` is undefined if the scorer failed, which `call` then says. */
export type RecordedScore = { call: NewStart & NewEnd; feedback: FeedbackWire | null; score: unknown };

/**
 * Applies a scorer and makes the call and the feedback that record it. Nothing is written yet.
 * @throws Failure `notFound` if the scorer's model does not exist
 */
export async function scoreOnce(
  scorer: Scorer,
  scored: Scored,
  place: ScorePlace,
  owner: Owner,
  signal: AbortSignal,
): Promise<RecordedScore> {
  const now = () => place.madeAt ?? nowMicroseconds();
  const startedAt = now();
  const start = {
    id: place.callId,
    traceId: place.traceId,
    parentId: place.parentId,
    opName: place.opName,
    startedAt,
    attributes: toJson(place.attributes),
    inputs: toJson({ self: scorer.ref, inputs: scored.texts.row, output: scored.texts.output }),
  };
  try {
    const { score, usage } = await scorer.score(scored, owner, signal);
    const end = { endedAt: now(), output: toJson(score ?? null), summary: summaryOf(usage) };
    return { call: { ...start, ...end }, feedback: feedbackOf(scorer, score, place, owner), score: score ?? null };
  } catch (error) {
    const exception = exceptionOf(error, signal);
    const usage = error instanceof ScoreError ? error.usage : {};
    return {
      call: { ...start, endedAt: now(), exception, summary: summaryOf(usage) },
      feedback: null,
      score: undefined,
    };
  }
}

function summaryOf(usage: UsageOfModels): string {
  return Object.keys(usage).length === 0 ? '{}' : toJson({ usage });
}

/**
 * The message of an error that belongs to one output or score, and not to the whole job.
 * @throws the error, if it does
 */
export function exceptionOf(error: unknown, signal: AbortSignal): string {
  signal.throwIfAborted();
  if (!(error instanceof Failure) || isForAll(error)) throw error;
  return error.message;
}

/** An unknown model or a missing API key fails every row: then the job should end at once and say so. */
export function isForAll({ kind, extra }: Failure): boolean {
  return kind === 'notFound' || kind === 'forbidden' || kind === 'noSpace' || 'api_key' in extra;
}

function feedbackOf(scorer: Scorer, score: unknown, place: ScorePlace, { project }: Owner): FeedbackWire {
  return feedbackCreateSchema.parse({
    id: place.feedbackId,
    project_id: project.name,
    weave_ref: `weave:///${project.name}/call/${place.scoredCallId}`,
    feedback_type: `wandb.runnable.${scorer.objectName}`,
    payload: new JsonText(toJson({ output: score ?? null })),
    runnable_ref: scorer.ref,
    call_ref: `weave:///${project.name}/call/${place.callId}`,
    trigger_ref: place.triggerRef,
  });
}
