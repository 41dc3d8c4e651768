import { derivedId } from '../../domain/calls/ids.ts';
import type { AnsweredRow, GateAnswer } from '../../domain/gates/answer-values.ts';
import type { AnsweredCall } from '../../services/calls/answered-call.ts';
import { isObject } from '../../util/json/own-member.ts';
import { parsePlain } from '../../util/json/parse.ts';
import { trialCallId } from '../record-run.ts';
import type { EvaluationRun } from '../run-trial.ts';
import type { EvaluationDeps } from '../setup.ts';
import { type Side, sides } from './sides.ts';

/** Calls that are read at once. */
const callsAtOnce = 500;

/** Reads what both models answered to the rows of a thread, and how it was scored, from the recorded trials. */
export async function readAnswers(
  { services }: Pick<EvaluationDeps, 'services'>,
  runs: Record<Side, EvaluationRun>,
  rows: { index: number; row: Record<string, unknown> }[],
): Promise<AnsweredRow[]> {
  const placesOf = (side: Side, rowIndex: number) =>
    Array.from({ length: runs[side].setup.trials }, (_, trialIndex) => {
      const id = trialCallId(runs[side].id, { rowIndex, trialIndex });
      return { id, predictId: derivedId(id, 'predict') };
    });
  const ids = rows.flatMap(({ index }) =>
    sides.flatMap((side) => placesOf(side, index).flatMap(({ id, predictId }) => [id, predictId])),
  );
  const calls = new Map<string, AnsweredCall>();
  const { project } = runs.candidate.owner;
  for (let start = 0; start < ids.length; start += callsAtOnce) {
    const some = ids.slice(start, start + callsAtOnce);
    const columns = new Set(['output', 'ended_at', 'started_at', 'exception', 'summary'] as const);
    for (const found of await services.calls.find(some, { project, includeCosts: true, columns })) {
      calls.set(found.call.id, found);
    }
  }
  const answersOf = (side: Side, rowIndex: number) =>
    placesOf(side, rowIndex).map(({ id, predictId }) => answerOf(calls.get(id)!, calls.get(predictId)!));
  return rows.map(({ index, row }) => ({
    row,
    candidate: answersOf('candidate', index),
    incumbent: answersOf('incumbent', index),
  }));
}

/** Null if the model failed. A score that a scorer did not give is missing. */
function answerOf({ call: trial }: AnsweredCall, { call: predict, extras }: AnsweredCall): GateAnswer | null {
  if (predict.exception) return null;
  const { scores, model_latency } = parsePlain(trial.output) as {
    scores: Record<string, unknown>;
    model_latency: number;
  };
  return {
    scores,
    latencySeconds: model_latency,
    outputTokens: predict.usage.reduce((sum, { output }) => sum + output, 0),
    cost: costOf(extras.costs, extras.unpriced_tokens),
  };
}

function costOf(costs: string | undefined, unpriced: string | undefined): number | null {
  if (costs === undefined || unpriced !== undefined) return null;
  const byModel = parsePlain(costs);
  if (!isObject(byModel)) return null;
  return Object.values(byModel)
    .flatMap((of) => Object.entries(of as Record<string, unknown>))
    .filter(([name]) => name.endsWith('_total_cost'))
    .reduce((sum, [, value]) => sum + Number(value ?? 0), 0);
}
