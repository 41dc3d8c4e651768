import { invalidInput } from '../../util/failures.ts';
import { isObject } from '../../util/json/own-member.ts';
import type { ThreadDifferences } from '../statistics/gate.ts';
import type { Metric } from '../statistics/plan.ts';
import type { PairedRow } from '../statistics/thread-difference.ts';
import { threadDifference } from '../statistics/thread-difference.ts';
import type { Slice, StoredPlan } from './stored-plan.ts';

/** An answer of one model to one row. */
export type GateAnswer = {
  /** By the keys of scorers; without those that failed. */
  scores: Record<string, unknown>;
  latencySeconds: number;
  outputTokens: number;
  /** In US dollars; null if a price is unknown. */
  cost: number | null;
};

/** A row with the repeats of both models; null is an answer that failed. */
export type AnsweredRow = {
  row: Record<string, unknown>;
  incumbent: (GateAnswer | null)[];
  candidate: (GateAnswer | null)[];
};

/** Names of metrics that are not scores. */
export const measuredSources = ['latency', 'cost', 'output_tokens'] as const;

/**
 * The differences of a thread, in the order of the plan.
 * @throws Failure for a score that is not a number, or outside of the plan's bounds
 */
export function differencesOf(plan: StoredPlan, rows: readonly AnsweredRow[]): ThreadDifferences {
  const differenceIn = (metric: Metric & { source: string }, among: readonly AnsweredRow[]) =>
    threadDifference(
      metric,
      among.map((row) => pairOf(metric.source, row)),
    );
  return {
    target: differenceIn(plan.target, rows)!,
    guardrails: plan.guardrails.map((each) => differenceIn(each, rows)!),
    watched: plan.watched.map((each) =>
      differenceIn(
        each,
        rows.filter(({ row }) => isIn(each.slice, row)),
      ),
    ),
  };
}

/** Whether a row belongs to a slice. */
export function isIn(slice: Slice | null, row: Record<string, unknown>): boolean {
  if (slice === null) return true;
  const value = Object.hasOwn(row, slice.column) ? row[slice.column] : undefined;
  return value !== undefined && value !== null && String(value) === slice.value;
}

function pairOf(source: string, { incumbent, candidate }: AnsweredRow): PairedRow {
  const value = (answer: GateAnswer | null) => (answer === null ? null : valueIn(source, answer));
  return { incumbent: incumbent.map(value), candidate: candidate.map(value) };
}

/** Null where the answer has no such score, which then counts as failed. */
function valueIn(source: string, answer: GateAnswer): number | null {
  switch (source) {
    case 'latency':
      return answer.latencySeconds;
    case 'output_tokens':
      return answer.outputTokens;
    case 'cost':
      if (answer.cost !== null) return answer.cost;
      throw invalidInput(
        'A price of one of the models is unknown, so costs cannot be compared. Add a price, or compare output_tokens.',
      );
    default:
      return scoreIn(source, answer.scores);
  }
}

function scoreIn(source: string, scores: Record<string, unknown>): number | null {
  const score = memberAt(scores, source);
  if (score === undefined || score === null) return null;
  if (typeof score === 'boolean') return score ? 1 : 0;
  const number = typeof score === 'number' ? score : Number.NaN;
  if (Number.isFinite(number)) return number;
  const members = isObject(score) ? ` It has the members ${Object.keys(score).join(', ')}.` : '';
  throw invalidInput(`The score ${source} is not a number.${members}`);
}

/** Keys of scorers can contain dots, so the longest key comes first. */
function memberAt(value: unknown, path: string): unknown {
  if (!isObject(value)) return undefined;
  if (Object.hasOwn(value, path)) return value[path];
  for (let end = path.lastIndexOf('.'); end > 0; end = path.lastIndexOf('.', end - 1)) {
    const key = path.slice(0, end);
    if (Object.hasOwn(value, key)) return memberAt(value[key], path.slice(end + 1));
  }
  return undefined;
}
