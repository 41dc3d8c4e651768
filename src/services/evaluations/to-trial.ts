import type { ResultField } from '../../domain/evaluations/results/field.ts';
import type { Trial } from '../../domain/evaluations/results/trial.ts';
import type { TrialRow } from '../../store/clickhouse/evaluations/find-trials.ts';
import { isObject } from '../../util/json/own-member.ts';

/** The row of a dataset that an example (JSON text) names; null where the example is the row itself. */
export function rowDigestOf(example: string): string | null {
  return /^"weave:\/\/\/.*\/attr\/rows\/id\/([^/"]+)"$/.exec(example)?.[1] ?? null;
}

/** @param rowValues the values of the fields of inputs, where the example names a row that is stored */
export function toTrial(
  { id, evaluationId, startedAt, scores, values }: TrialRow,
  rowDigest: string,
  fields: readonly ResultField[],
  rowValues: ReadonlyMap<string, string> | undefined,
): Trial {
  const parsed = parse(scores);
  return {
    callId: id,
    evaluationId,
    rowDigest,
    startedAt,
    scores: isObject(parsed) ? parsed : {},
    values: new Map(fields.map(({ name }, i) => [name, parse(values[i] || rowValues?.get(name) || '')])),
  };
}

/** Empty text is no value. */
function parse(text: string): unknown {
  return text === '' ? null : JSON.parse(text);
}
