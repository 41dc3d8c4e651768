import { type Estimate, estimateMean, estimateRate } from './estimate.ts';
import { mean, toNumber } from './numbers.ts';
import type { ResultRow, Trial } from './trial.ts';

/** Statistics of one leaf of a scorer's output; `path` is null if the score itself is a value. */
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
 * Statistics of each evaluation, in the order in which they appear in the rows. The first of `evaluationIds` is the
 * baseline for the others.
 */
export function summarize(rows: readonly ResultRow[], evaluationIds: readonly string[]): EvaluationStats[] {
  const byEvaluation = new Map<string, { trialCount: number; leaves: Map<string, Leaf> }>();
  for (const { digest, trials } of rows) {
    for (const trial of trials) {
      let found = byEvaluation.get(trial.evaluationId);
      if (!found) {
        found = { trialCount: 0, leaves: new Map() };
        byEvaluation.set(trial.evaluationId, found);
      }
      found.trialCount++;
      addTrial(found.leaves, digest, trial);
    }
  }
  const baselineId = evaluationIds[0];
  const baseline = baselineId === undefined ? undefined : byEvaluation.get(baselineId)?.leaves;
  return [...byEvaluation].map(([evaluationId, { trialCount, leaves }]) => ({
    evaluationId,
    trialCount,
    scorers: [...leaves].map(([key, leaf]) => {
      const other = evaluationId === baselineId ? undefined : baseline?.get(key);
      return { ...statsOf(leaf), difference: other ? pairedDifference(leaf, other, baselineId!) : null };
    }),
  }));
}

/** All values at one location of a scorer's outputs. */
type Leaf = {
  scorerKey: string;
  path: string[];
  valueType: ScorerStats['valueType'];
  trialCount: number;
  passTrueCount: number;
  passKnownCount: number;
  /** Numbers, and booleans as 1 and 0, by row. */
  numbers: Map<string, number[]>;
  numericValues: number[];
};

function addTrial(leaves: Map<string, Leaf>, digest: string, { scores }: Trial): void {
  for (const [scorerKey, score] of Object.entries(scores)) {
    for (const [path, value] of leavesOf(score)) {
      const key = JSON.stringify([scorerKey, ...path]);
      let leaf = leaves.get(key);
      if (!leaf) {
        leaf = { scorerKey, path, valueType: typeOf(value), ...emptyLeaf() };
        leaves.set(key, leaf);
      }
      addValue(leaf, digest, value);
    }
  }
}

type LeafValue = boolean | number | string;

function emptyLeaf() {
  return { trialCount: 0, passTrueCount: 0, passKnownCount: 0, numbers: new Map(), numericValues: [] };
}

function typeOf(value: LeafValue): ScorerStats['valueType'] {
  return typeof value === 'boolean' ? 'binary' : typeof value === 'number' ? 'continuous' : 'text';
}

function addValue(leaf: Leaf, digest: string, value: LeafValue): void {
  leaf.trialCount++;
  if (typeof value === 'boolean') {
    leaf.passKnownCount++;
    if (value) leaf.passTrueCount++;
  }
  if (typeof value === 'number') leaf.numericValues.push(value);
  const number = toNumber(value);
  if (number === null) return;
  const row = leaf.numbers.get(digest);
  if (row) row.push(number);
  else leaf.numbers.set(digest, [number]);
}

/** The values inside a score with their locations; lists and nulls are skipped. */
function* leavesOf(score: unknown, path: string[] = []): Generator<[string[], LeafValue]> {
  if (typeof score === 'boolean' || typeof score === 'number' || typeof score === 'string') yield [path, score];
  else if (typeof score === 'object' && score !== null && !Array.isArray(score) && path.length < depthMax) {
    for (const [name, member] of Object.entries(score)) yield* leavesOf(member, [...path, name]);
  }
}

/** Deeper values are ignored. */
const depthMax = 32;

function statsOf(leaf: Leaf): Omit<ScorerStats, 'difference'> {
  const { scorerKey, path, valueType, trialCount, passTrueCount, passKnownCount, numbers, numericValues } = leaf;
  const clusters = [...numbers.values()];
  return {
    scorerKey,
    path: path.length === 0 ? null : path.join('.'),
    valueType,
    trialCount,
    numericCount: numericValues.length,
    numericMean: mean(numericValues),
    passTrueCount,
    passKnownCount,
    passRate: passKnownCount === 0 ? null : passTrueCount / passKnownCount,
    passSignalCoverage: passKnownCount / trialCount,
    estimate: valueType === 'binary' ? estimateRate(clusters) : estimateMean(clusters),
  };
}

/** The mean difference over the rows that both have; each row is the mean of its trials. */
function pairedDifference(leaf: Leaf, baseline: Leaf, baselineId: string): PairedDifference | null {
  const differences: number[][] = [];
  for (const [digest, values] of leaf.numbers) {
    const other = baseline.numbers.get(digest);
    if (other) differences.push([mean(values)! - mean(other)!]);
  }
  const estimate = estimateMean(differences);
  return estimate && { ...estimate, baselineId };
}
