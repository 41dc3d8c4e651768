import type { Annotation } from '../../api/annotations.ts';
import type { Question } from '../../api/questions.ts';
import { comparable, isNumber, numberOf } from '../../format/json.ts';

export type Agreement = {
  /** Pairs of annotators of one call that gave the same answer, as a share of all such pairs; null without pairs, and for free text. */
  same: number | null;
  /** Krippendorff's alpha: 1 is full agreement, 0 what chance would give; null if all answers are equal or none is shared. */
  alpha: number | null;
  /** Calls that two annotators or more have answered. */
  sharedCalls: number;
};

/** How far annotators agree in the answers to one question. Differences of numbers count by their size in alpha. */
export function agreementOf(
  annotations: Pick<Annotation, 'callRef' | 'value'>[],
  question: Pick<Question, 'kind'>,
): Agreement {
  const byCall = Map.groupBy(annotations, ({ callRef }) => callRef);
  const units = [...byCall.values()].filter(({ length }) => length > 1).map((unit) => unit.map(({ value }) => value));
  const all = units.flat();
  const isFree = question.kind === 'text' || question.kind === 'json'; // answers are rarely equal
  if (units.length === 0 || isFree) return { same: null, alpha: null, sharedCalls: 0 };
  const pairs = sum(units.map(({ length }) => length * (length - 1)));
  const differing = sum(units.map(differingPairs));
  const isNumeric = all.every(isNumber);
  const disagreement = isNumeric ? squaredDistances : differingPairs;
  const observed = sum(units.map((unit) => disagreement(unit) / (unit.length - 1))) / all.length;
  const expected = disagreement(all) / (all.length * (all.length - 1));
  return {
    same: 1 - differing / pairs,
    alpha: expected === 0 ? null : 1 - observed / expected,
    sharedCalls: units.length,
  };
}

/** Whether all answers to a call are the same. */
export function isUnanimous(values: unknown[]): boolean {
  return new Set(values.map((value) => comparable(value))).size <= 1;
}

/** Ordered pairs of different values. */
function differingPairs(values: unknown[]): number {
  const counts = Map.groupBy(values, comparable);
  return values.length ** 2 - sum([...counts.values()].map(({ length }) => length ** 2));
}

/** The squared distances of all ordered pairs. */
function squaredDistances(values: unknown[]): number {
  const numbers = values.flatMap((value) => numberOf(value) ?? []);
  return 2 * values.length * sum(numbers.map((value) => value ** 2)) - 2 * sum(numbers) ** 2;
}

function sum(numbers: number[]): number {
  return numbers.reduce((total, each) => total + each, 0);
}
