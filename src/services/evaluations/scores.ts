import { feedbackCreateSchema } from '../../contract/feedback/feedback.ts';
import { inputsOf, objectName, outputOf } from '../../domain/evaluations/marks.ts';
import type { Page } from '../../domain/query/page.ts';
import { invalidInput } from '../../util/failures.ts';
import { JsonText } from '../../util/json/json-text.ts';
import { toJson } from '../../util/json/write.ts';
import { nowMicroseconds } from '../../util/timestamp.ts';
import type { AnsweredCall } from '../calls/answered-call.ts';
import type { Calls } from '../calls/calls.ts';
import type { Feedback } from '../feedback/feedback.ts';
import type { Owner } from '../owner.ts';
import type { EvaluationCalls, RunOf } from './evaluation-calls.ts';

type NewScore = { predictionId: string; scorer: string; value: JsonText; runId: string | null };

/** Scores of predictions, as calls of a scorer and as feedback on the prediction. */
export type Scores = {
  /** @returns its id. @throws Failure for an unknown prediction or run, or a scorer that is not an object */
  give(score: NewScore, owner: Owner, makeId: () => string): Promise<string>;
  /** For any call, with the run it belongs to. @throws Failure */
  find(id: string, owner: Owner): Promise<AnsweredCall & RunOf>;
  list(query: Page & { runId: string | null }, owner: Owner): Promise<AsyncIterable<(AnsweredCall & RunOf)[]>>;
};

export function openScores(
  { calls, feedback }: { calls: Calls; feedback: Feedback },
  { mustFind, runOf, listParts, opRefs }: EvaluationCalls,
): Scores {
  return {
    async give({ predictionId, scorer, value, runId }, owner, makeId) {
      const name = objectName(scorer);
      if (name === null) {
        throw invalidInput(
          `Invalid scorer ${JSON.stringify(scorer.slice(0, 200))}: expected the ref of an object, weave:///entity/project/object/name:digest`,
        );
      }
      const { call: prediction } = await mustFind('Prediction', predictionId, owner);
      const run = runId === null ? null : (await mustFind('Evaluation run', runId, owner)).call;
      const opName = `${name}.score`;
      const refs = await opRefs(owner, opName);
      const id = makeId();
      const startedAt = nowMicroseconds();
      const marks = { score: 'true', prediction_id: predictionId, scorer, evaluation_run_id: runId ?? undefined };
      const score = {
        id,
        opName: refs[opName]!,
        startedAt,
        endedAt: startedAt,
        summary: '{}',
        output: value.text,
        ...(run ? { traceId: run.traceId, parentId: prediction.parentId || run.id } : { traceId: id }),
        attributes: toJson({ weave: marks }),
        inputs: toJson({ self: scorer, inputs: inputsOf(prediction), output: outputOf(prediction) }),
      };
      const part = await calls.makeComplete(score, owner.caller.userId);
      await calls.record([{ projectId: owner.project.id, id, part }]);
      const project = owner.project.name;
      const item = feedbackCreateSchema.parse({
        project_id: project,
        weave_ref: `weave:///${project}/call/${predictionId}`,
        feedback_type: `wandb.runnable.${name}`,
        payload: new JsonText(toJson({ output: value })),
        runnable_ref: scorer,
        call_ref: `weave:///${project}/call/${id}`,
      });
      await feedback.add(owner.caller, [item], makeId);
      return id;
    },

    async find(id, owner) {
      const found = await mustFind('Score', id, owner);
      return { ...found, ...(await runOf(found.call, owner)) };
    },

    list: (query, owner) => listParts('score', query, owner),
  };
}
