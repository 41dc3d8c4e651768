import { isObject } from '../../util/json/own-member.ts';

/**
 * How a trial counts for a score that it lacks, so that statistics equal the summary that the program printed:
 * - `fails`: it did not pass. A mean leaves it out. So do the server and `Evaluation` of the Python SDK.
 * - `zero`: it counts as 0, in rates and means. So does `Evaluation` of the JavaScript SDK.
 * - `ignored`: it has not ended, or its program gives scores one by one and did not give this one.
 */
export type MissingScore = 'fails' | 'zero' | 'ignored';

/** What recorded a trial: an `Evaluation` of an SDK or of the server, an `EvaluationLogger`, or the `/v2` endpoints. */
export type TrialSource = 'python' | 'javascript' | 'logger' | 'api';

type RecordedTrial = { source: TrialSource; hasEnded: boolean; scores: Record<string, unknown> };

export function missingScoreOf({ source, hasEnded, scores }: RecordedTrial): MissingScore {
  if (!hasEnded) return 'ignored';
  switch (source) {
    case 'python':
      return 'fails';
    case 'javascript':
      return 'zero';
    case 'logger': // its own summary leaves out what was not logged
      return 'ignored';
    case 'api': // a finished prediction without any score failed
      return Object.keys(scores).length === 0 ? 'fails' : 'ignored';
    default:
      return source satisfies never;
  }
}

/** Whether a trial has no score of a scorer. An empty object is none, as in the Python SDK; null is a value. */
export function lacksScore(scores: Record<string, unknown>, scorer: string): boolean {
  if (!Object.hasOwn(scores, scorer)) return true;
  const score = scores[scorer];
  return isObject(score) && Object.keys(score).length === 0;
}
