import type { OperationAnswer } from '../admin/operations.ts';

type Result = OperationAnswer<'eval.results'>[number];

/** The minimum of a score: of a scorer, or of a field of its score, such as `judge.helpful`. */
export type Threshold = { score: string; least: number };

/** Null if the text is not of the form `score=number`. */
export function toThreshold(text: string): Threshold | null {
  const [, score, value = ''] = /^(.+)=([^=]+)$/.exec(text) ?? [];
  const least = Number(value);
  return score === undefined || value.trim() === '' || !Number.isFinite(least) ? null : { score, least };
}

/** One line for each threshold that is not reached. A score that some answers lack reaches none, unless that is allowed. */
export function missedThresholds(
  thresholds: Threshold[],
  { scorers, trialCount }: Result,
  { allowMissing }: { allowMissing: boolean },
): string[] {
  return thresholds.flatMap(({ score, least }) => {
    const found = scorers.find((each) => scoreName(each) === score);
    const value = found?.estimate?.mean;
    if (found === undefined || value === undefined) {
      const names = scorers.map(scoreName).join(', ') || 'none';
      return [`There is no score ${score} for the threshold ${least}. Scores: ${names}.`];
    }
    const missing = trialCount - found.trialCount;
    return [
      ...(value < least ? [`${score} is ${shorten(value)}, below the threshold ${least}.`] : []),
      ...(missing > 0 && !allowMissing
        ? [`${missing} of ${trialCount} answers have no ${score}. To accept that, pass --allow-missing.`]
        : []),
    ];
  });
}

export function scoreName({ scorerKey, path }: Pick<Result['scorers'][number], 'scorerKey' | 'path'>): string {
  return path === null ? scorerKey : `${scorerKey}.${path}`;
}

/** A number in few significant digits. */
export function shorten(value: number, digits = 4): string {
  return String(Number(value.toPrecision(digits)));
}
