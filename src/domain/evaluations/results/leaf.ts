import { isObject } from '../../../util/json/own-member.ts';
import { lacksScore } from '../missing-score.ts';
import { type Estimate, estimateMean, estimateRate } from './estimate.ts';
import { mean, toNumber } from './numbers.ts';
import type { Trial } from './trial.ts';

/** Statistics of one leaf of what a scorer answers; `path` is null where the score itself is a value. */
export type ScorerStats = {
  scorerKey: string;
  path: string | null;
  valueType: 'binary' | 'continuous' | 'text';
  /** Trials that have this leaf. */
  trialCount: number;
  /** Trials that lack it and count all the same: the model or the scorer failed. */
  failedCount: number;
  numericCount: number;
  numericMean: number | null;
  passTrueCount: number;
  passKnownCount: number;
  /** Failed trials did not pass. */
  passRate: number | null;
  passSignalCoverage: number;
  estimate: Estimate | null;
  difference: PairedDifference | null;
};

/** How the rows of an evaluation differ from the same rows of the baseline. */
export type PairedDifference = Estimate & { baselineId: string };

/** All values found at one place of a scorer's answers. */
export type Leaf = {
  scorerKey: string;
  path: readonly string[];
  valueType: ScorerStats['valueType'];
  trialCount: number;
  failedCount: number;
  /** Failed trials that count as 0 in a mean. */
  zeroCount: number;
  passTrueCount: number;
  passKnownCount: number;
  numericCount: number;
  numericSum: number;
  /** The numbers of each row, and truth values as 1 and 0. */
  numbers: Map<number, number[]>;
};

/** Adds the values inside a score; lists and nulls have none. */
export function addScore(
  leaves: Map<string, Leaf>,
  row: number,
  { scorerKey, path, score }: { scorerKey: string; path: string[]; score: unknown },
): void {
  if (typeof score === 'boolean' || typeof score === 'number' || typeof score === 'string') {
    const key = path.length === 0 ? scorerKey : [scorerKey, ...path].join('\0');
    let leaf = leaves.get(key);
    if (!leaf) {
      leaf = { scorerKey, path, valueType: typeOf(score), ...emptyLeaf() };
      leaves.set(key, leaf);
    }
    addValue(leaf, row, score);
  } else if (isObject(score) && path.length < depthMax) {
    for (const [name, member] of Object.entries(score)) {
      addScore(leaves, row, { scorerKey, path: [...path, name], score: member });
    }
  }
}

/** Counts a trial that lacks this leaf, as the program that recorded it does. */
export function addMissing(leaf: Leaf, row: number, { missing, scores }: Pick<Trial, 'missing' | 'scores'>): void {
  if (missing === 'ignored' || leaf.valueType === 'text') return;
  const isMissing = missing === 'zero' ? !hasLeaf(scores, leaf) : lacksScore(scores, leaf.scorerKey);
  if (!isMissing) return;
  leaf.failedCount++;
  const isZero = missing === 'zero';
  if (isZero) leaf.zeroCount++;
  if (isZero || leaf.valueType === 'binary') addNumber(leaf, row, 0);
}

export function statsOf(leaf: Leaf): Omit<ScorerStats, 'difference'> {
  const { scorerKey, path, valueType, trialCount, failedCount, zeroCount } = leaf;
  const { passTrueCount, passKnownCount, numericCount, numericSum } = leaf;
  const rows = [...leaf.numbers.values()];
  return {
    scorerKey,
    path: path.length === 0 ? null : path.join('.'),
    valueType,
    trialCount,
    failedCount,
    numericCount,
    numericMean: numericCount === 0 ? null : numericSum / (numericCount + zeroCount),
    passTrueCount,
    passKnownCount,
    passRate: passKnownCount === 0 ? null : passTrueCount / (passKnownCount + failedCount),
    passSignalCoverage: passKnownCount / trialCount,
    estimate: valueType === 'binary' ? estimateRate(rows) : estimateMean(rows),
  };
}

/** The mean difference of the rows that both have, each row being the mean of its trials. */
export function pairedDifference(leaf: Leaf, baseline: Leaf, baselineId: string): PairedDifference | null {
  const differences: number[][] = [];
  for (const [row, values] of leaf.numbers) {
    const others = baseline.numbers.get(row);
    if (others !== undefined) differences.push([mean(values)! - mean(others)!]);
  }
  const estimate = estimateMean(differences);
  return estimate && { ...estimate, baselineId };
}

/** Values nested deeper than this are ignored. */
const depthMax = 32;

function emptyLeaf() {
  const counts = { trialCount: 0, failedCount: 0, zeroCount: 0, passTrueCount: 0, passKnownCount: 0 };
  return { ...counts, numericCount: 0, numericSum: 0, numbers: new Map<number, number[]>() };
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
  if (number !== null) addNumber(leaf, row, number);
}

function addNumber({ numbers }: Leaf, row: number, value: number): void {
  const found = numbers.get(row);
  if (found) found.push(value);
  else numbers.set(row, [value]);
}

function hasLeaf(scores: Record<string, unknown>, { scorerKey, path }: Leaf): boolean {
  let found: unknown = scores;
  for (const name of [scorerKey, ...path]) found = isObject(found) && Object.hasOwn(found, name) ? found[name] : null;
  return found !== null;
}
