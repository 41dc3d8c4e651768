import { missingScoreOf } from '../../../domain/evaluations/missing-score.ts';
import type { ResultField } from '../../../domain/evaluations/results/field.ts';
import type { Trial } from '../../../domain/evaluations/results/trial.ts';
import type { TrialRow } from '../../../store/clickhouse/evaluations/find-trials.ts';
import { isObject } from '../../../util/json/own-member.ts';
import { parsePlain } from '../../../util/json/parse.ts';

/** The dataset row that an example (JSON text) names; null if the example is the row itself. */
export function rowDigestOf(example: string): string | null {
  return /^"weave:\/\/\/.*\/attr\/rows\/id\/([^/"]+)"$/.exec(example)?.[1] ?? null;
}

/** @param rowValues the values of the fields of inputs, if the example names a stored row */
export function toTrial(
  { id, evaluationId, startedAt, source, hasEnded, scores: scoresText, values }: TrialRow,
  rowDigest: string,
  fields: readonly ResultField[],
  rowValues: ReadonlyMap<string, string> | undefined,
): Trial {
  const parsed = parse(scoresText);
  const scores = isObject(parsed) ? parsed : {};
  return {
    callId: id,
    evaluationId,
    rowDigest,
    startedAt,
    missing: missingScoreOf({ source, hasEnded, scores }),
    scores,
    values: new Map(fields.map(({ name }, i) => [name, parse(values[i] || rowValues?.get(name) || '')])),
  };
}

/** Empty text means no value. */
function parse(text: string): unknown {
  return text === '' ? null : parsePlain(text);
}
