import { isObject } from '../../../util/json/own-member.ts';
import { openTurn } from '../../../util/turns.ts';
import { type Estimate, estimateMean, estimateRate } from './estimate.ts';
import { mean, toNumber } from './numbers.ts';
import type { ResultRow } from './trial.ts';

/** Statistics of one leaf of what a scorer answers; `path` is null where the score itself is a value. */
export type ScorerStats = {
  scorerKey: string;
  path: string | null;
  valueType: 'binary' | 'continuous' | 'text';
  /** Trials that have this leaf. */
  trialCount: number;
  numericCount: number;
  numericMean: number | null;
  passTrueCount: number;
  passKnownCount: number;
  passRate: number | null;
  passSignalCoverage: number;
  estimate: Estimate | null;
  difference: PairedDifference | null;
};

/** How the rows of an evaluation differ from the same rows of the baseline. */
export type PairedDifference = Estimate & { baselineId: string };

export type EvaluationStats = { evaluationId: string; trialCount: number; scorers: ScorerStats[] };

/**
 * Statistics of each evaluation, in the order in which the rows name them. The first of `evaluationIds` is the baseline
 * of the others. Long lists of rows are worked on in turns.
 */
export async function summarize(
  rows: readonly ResultRow[],
  evaluationIds: readonly string[],
): Promise<EvaluationStats[]> {
  const byEvaluation = new Map<string, { trialCount: number; leaves: Map<string, Leaf> }>();
  const turn = openTurn();
  for (const [row, { trials }] of rows.entries()) {
    if (turn.isOver()) await turn.next();
    for (const trial of trials) {
      let found = byEvaluation.get(trial.evaluationId);
      if (!found) {
        found = { trialCount: 0, leaves: new Map() };
        byEvaluation.set(trial.evaluationId, found);
      }
      found.trialCount++;
      for (const [scorerKey, score] of Object.entries(trial.scores)) addScore(found.leaves, row, scorerKey, [], score);
    }
  }
  const baselineId = evaluationIds[0];
  const baseline = baselineId === undefined ? undefined : byEvaluation.get(baselineId)?.leaves;
  const stats: EvaluationStats[] = [];
  for (const [evaluationId, { trialCount, leaves }] of byEvaluation) {
    const scorers: ScorerStats[] = [];
    for (const [key, leaf] of leaves) {
      if (turn.isOver()) await turn.next();
      const other = evaluationId === baselineId ? undefined : baseline?.get(key);
      scorers.push({ ...statsOf(leaf), difference: other ? pairedDifference(leaf, other, baselineId!) : null });
    }
    stats.push({ evaluationId, trialCount, scorers });
  }
  return stats;
}

/** All values found at one place of a scorer's answers. */
type Leaf = {
  scorerKey: string;
  path: readonly string[];
  valueType: ScorerStats['valueType'];
  trialCount: number;
  passTrueCount: number;
  passKnownCount: number;
  numericCount: number;
  numericSum: number;
  /** Numbers, and truth values as 1 and 0, in the order of the rows. */
  numbers: number[];
  /** The place of the row of each number. */
  rows: number[];
};

/** Adds the values inside a score; lists and nulls have none. */
function addScore(leaves: Map<string, Leaf>, row: number, scorerKey: string, path: string[], score: unknown): void {
  if (typeof score === 'boolean' || typeof score === 'number' || typeof score === 'string') {
    const key = path.length === 0 ? scorerKey : [scorerKey, ...path].join('\0');
    let leaf = leaves.get(key);
    if (!leaf) {
      leaf = { scorerKey, path, valueType: typeOf(score), ...emptyLeaf() };
      leaves.set(key, leaf);
    }
    addValue(leaf, row, score);
  } else if (isObject(score) && path.length < depthMax) {
    for (const [name, member] of Object.entries(score)) addScore(leaves, row, scorerKey, [...path, name], member);
  }
}

/** Values nested deeper than this are ignored. */
const depthMax = 32;

function emptyLeaf() {
  const counts = { trialCount: 0, passTrueCount: 0, passKnownCount: 0, numericCount: 0, numericSum: 0 };
  return { ...counts, numbers: [], rows: [] };
}

function typeOf(value: boolean | number | string): ScorerStats['valueType'] {
  return typeof value === 'boolean' ? 'binary' : typeof value === 'number' ? 'continuous' : 'text';
}

function addValue(leaf: Leaf, row: number, value: boolean | number | string): void {
  leaf.trialCount++;
  if (typeof value === 'boolean') {
    leaf.passKnownCount++;
    if (value) leaf.passTrueCount++;
  } else if (typeof value === 'number') {
    leaf.numericCount++;
    leaf.numericSum += value;
  }
  const number = toNumber(value);
  if (number === null) return;
  leaf.numbers.push(number);
  leaf.rows.push(row);
}

function statsOf(leaf: Leaf): Omit<ScorerStats, 'difference'> {
  const { scorerKey, path, valueType, trialCount, passTrueCount, passKnownCount, numericCount, numericSum } = leaf;
  const clusters = clustersOf(leaf);
  return {
    scorerKey,
    path: path.length === 0 ? null : path.join('.'),
    valueType,
    trialCount,
    numericCount,
    numericMean: numericCount === 0 ? null : numericSum / numericCount,
    passTrueCount,
    passKnownCount,
    passRate: passKnownCount === 0 ? null : passTrueCount / passKnownCount,
    passSignalCoverage: passKnownCount / trialCount,
    estimate: valueType === 'binary' ? estimateRate(clusters) : estimateMean(clusters),
  };
}

/** The numbers of each row. */
function clustersOf({ numbers, rows }: Leaf): number[][] {
  const clusters: number[][] = [];
  for (const [i, number] of numbers.entries()) {
    if (i > 0 && rows[i] === rows[i - 1]) clusters.at(-1)!.push(number);
    else clusters.push([number]);
  }
  return clusters;
}

/** The mean difference of the rows that both have, each row being the mean of its trials. */
function pairedDifference(leaf: Leaf, baseline: Leaf, baselineId: string): PairedDifference | null {
  const others = meansByRow(baseline);
  const differences: number[][] = [];
  for (const [row, value] of meansByRow(leaf)) {
    const other = others.get(row);
    if (other !== undefined) differences.push([value - other]);
  }
  const estimate = estimateMean(differences);
  return estimate && { ...estimate, baselineId };
}

function meansByRow(leaf: Leaf): Map<number, number> {
  const rows = leaf.rows.filter((row, i) => i === 0 || row !== leaf.rows[i - 1]);
  return new Map(clustersOf(leaf).map((cluster, i) => [rows[i]!, mean(cluster)!]));
}
