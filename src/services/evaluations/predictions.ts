import {
  evaluationOf,
  evaluationOps,
  isTrial,
  objectName,
  outputOf,
  readMarks,
  scorerName,
} from '../../domain/evaluations/marks.ts';
import type { Page } from '../../domain/query/page.ts';
import type { CallWrite } from '../../store/clickhouse/calls/write/call-write.ts';
import type { JsonText } from '../../util/json/json-text.ts';
import { toJson } from '../../util/json/write.ts';
import { nowMicroseconds } from '../../util/timestamp.ts';
import type { AnsweredCall } from '../calls/answered-call.ts';
import type { Calls } from '../calls/calls.ts';
import type { Owner } from '../owner.ts';
import type { EvaluationCalls, RunOf } from './evaluation-calls.ts';
import type { SpanRef } from './results/trial-answers.ts';

type NewPrediction = {
  model: string;
  inputs: JsonText;
  output: JsonText;
  runId: string | null;
  spanRefs: SpanRef[] | null;
};

/** Predictions, as calls of a model. In a run each is part of a call of `Evaluation.predict_and_score`. */
export type Predictions = {
  /** @returns its id. @throws Failure for an unknown run */
  make(prediction: NewPrediction, owner: Owner, makeId: () => string): Promise<string>;
  /** Ends the trial of a prediction with the scores it has so far; the prediction does not change. @throws Failure */
  finish(id: string, owner: Owner): Promise<void>;
  /** For any call, with the run it belongs to. @throws Failure */
  find(id: string, owner: Owner): Promise<AnsweredCall & RunOf>;
  list(query: Page & { runId: string | null }, owner: Owner): Promise<AsyncIterable<(AnsweredCall & RunOf)[]>>;
};

export function openPredictions({ calls }: { calls: Calls }, evaluationCalls: EvaluationCalls): Predictions {
  const { findCall, mustFind, childrenOf, runOf, listParts, opRefs } = evaluationCalls;
  return {
    async make({ model, inputs, output, runId, spanRefs }, owner, makeId) {
      const run = runId === null ? null : (await mustFind('Evaluation run', runId, owner)).call;
      const predictOp = `${objectName(model) ?? 'Model'}.predict`;
      const opNames = await opRefs(owner, predictOp, evaluationOps.predictAndScore);
      const id = makeId();
      const trialId = run && makeId();
      const startedAt = nowMicroseconds();
      const common = { traceId: run?.traceId ?? id, startedAt };
      const genai_span_ref = spanRefs ?? undefined;
      const marks = { prediction: 'true', model, evaluation_run_id: runId ?? undefined };
      const prediction = {
        ...common,
        id,
        parentId: trialId,
        opName: opNames[predictOp]!,
        endedAt: startedAt,
        attributes: toJson({ weave: run ? marks : { ...marks, genai_span_ref } }),
        inputs: toJson({ self: model, inputs }),
        output: output.text,
        summary: '{}',
      };
      const { userId } = owner.caller;
      const projectId = owner.project.id;
      const writes: CallWrite[] = [{ projectId, id, part: await calls.makeComplete(prediction, userId) }];
      if (run && trialId) {
        const trial = {
          ...common,
          id: trialId,
          parentId: run.id,
          opName: opNames[evaluationOps.predictAndScore]!,
          attributes: toJson({ weave: { predict_call_id: id, genai_span_ref } }),
          inputs: toJson({ self: evaluationOf(run), model, example: inputs }),
        };
        writes.unshift({ projectId, id: trialId, part: await calls.makeStart(trial, userId) });
      }
      await calls.record(writes);
      return id;
    },

    async finish(id, owner) {
      const { call } = await mustFind('Prediction', id, owner);
      const projectId = owner.project.id;
      const now = nowMicroseconds();
      const writes: CallWrite[] = [];
      if (call.endedAt === null) {
        writes.push({ projectId, id, part: await calls.makeEnd({ id, endedAt: now, summary: '{}' }) });
      }
      const parent = call.parentId === '' ? null : await findCall(call.parentId, owner);
      if (parent && isTrial(parent.call)) {
        const trial = parent.call;
        const scores = new Map<string, JsonText>();
        for await (const child of childrenOf(trial.id, owner, ['op_name', 'attributes', 'output'])) {
          if (readMarks(child)('score') === 'true') scores.set(scorerName(child), outputOf(child));
        }
        const model_latency = { mean: ((call.endedAt ?? now) - call.startedAt) / 1e6 };
        const output = toJson({ output: outputOf(call), scores: Object.fromEntries(scores), model_latency });
        const end = { id: trial.id, endedAt: trial.endedAt ?? now, output, summary: trial.summary || '{}' };
        writes.push({ projectId, id: trial.id, part: await calls.makeEnd(end) });
      }
      if (writes.length > 0) await calls.record(writes);
    },

    async find(id, owner) {
      const found = await mustFind('Prediction', id, owner);
      return { ...found, ...(await runOf(found.call, owner)) };
    },

    list: (query, owner) => listParts('prediction', query, owner),
  };
}
