import type { TrainingRow } from '../../../engine/training/row.ts';
import type { RowScores } from '../../../engine/training/types.ts';
import { invalidInput } from '../../../util/failures.ts';
import type { Datum } from '../client/datum.ts';

/** A sequence of a row: a prompt with one result, up to its last target. */
export type RowSequence = {
  /** The index of its row. */
  row: number;
  tokens: Int32Array;
  /** Where the targets of the row are, and their indices among those of the row. */
  targets: { place: number; target: number }[];
};

/**
 * Separates the sequences of rows, since a server does not know that they can share a prompt. A place has one target in a
 * sequence: a prompt with several targets at one place is sent several times.
 * @throws Failure for positions that do not count from 0
 */
export function sequencesOf(rows: readonly TrainingRow[]): RowSequence[] {
  return rows.flatMap((row, index) => {
    const targetsAt = Map.groupBy(row.targets.places.keys(), (target) => row.targets.places[target]!);
    return promptsOf(row).flatMap((prompt) => sequencesOfPrompt(row, index, prompt, targetsAt));
  });
}

/** Indices of tokens: those that several results share, and those of each result. */
type Prompt = { shared: number[]; results: number[][] };

function promptsOf({ groups, parents }: TrainingRow): Prompt[] {
  const tokensOfGroup = Map.groupBy(groups.keys(), (token) => groups[token]!);
  const parentOf = new Map(groups.entries().map(([token, group]) => [group, parents[token]!]));
  return [...Map.groupBy(parentOf.keys(), (group) => parentOf.get(group)!)].map(([parent, members]) => ({
    shared: tokensOfGroup.get(parent) ?? [],
    results: members.filter((group) => group !== parent).map((group) => tokensOfGroup.get(group)!),
  }));
}

function sequencesOfPrompt(
  row: TrainingRow,
  index: number,
  { shared, results }: Prompt,
  targetsAt: ReadonlyMap<number, number[]>,
): RowSequence[] {
  const wholes = (results.length === 0 ? [[]] : results).map((own) => ({
    indices: [...shared, ...own],
    /** Each copy has one target at a place. */
    copies: [] as RowSequence['targets'][],
  }));
  const add = (whole: (typeof wholes)[number], copy: number, place: number, target: number) => {
    whole.copies[copy] ??= [];
    whole.copies[copy].push({ place, target });
  };
  for (const [place, token] of shared.entries()) {
    for (const [i, target] of (targetsAt.get(token) ?? []).entries()) {
      add(wholes[i % wholes.length]!, Math.floor(i / wholes.length), place, target);
    }
  }
  for (const whole of wholes) {
    for (const [place, token] of whole.indices.entries()) {
      if (place < shared.length) continue;
      for (const [copy, target] of (targetsAt.get(token) ?? []).entries()) add(whole, copy, place, target);
    }
  }
  return wholes.flatMap(({ indices, copies }) => copies.map((targets) => sequenceOf(row, index, indices, targets)));
}

function sequenceOf(row: TrainingRow, index: number, indices: number[], targets: RowSequence['targets']): RowSequence {
  const length = targets.reduce((most, { place }) => Math.max(most, place + 1), 0);
  const used = indices.slice(0, length);
  if (!used.every((token, i) => row.positions[token] === i)) {
    throw invalidInput(`Row ${index} has a sequence whose positions do not count from 0, which a server cannot train.`);
  }
  return { row: index, tokens: Int32Array.from(used, (token) => row.tokens[token]!), targets };
}

/** Values for each target of each row. */
export type TargetValues = readonly ArrayLike<number>[];

/** The datum of a sequence. Places without a target have 0 in all inputs. */
export function datumOf(
  { row, tokens, targets }: RowSequence,
  rows: readonly TrainingRow[],
  inputs: { [name in keyof Datum['inputs']]: TargetValues },
): Datum {
  // Where there is no target, any token will do: its loss counts 0.
  const next = Int32Array.from(tokens, (_, place) => tokens[place + 1] ?? 0);
  for (const { place, target } of targets) next[place] = rows[row]!.targets.tokens[target]!;
  const ofTargets = (values: TargetValues) => {
    const all = new Float32Array(tokens.length);
    for (const { place, target } of targets) all[place] = values[row]![target]!;
    return all;
  };
  const named = Object.entries(inputs).map(([name, values]) => [name, ofTargets(values)]);
  return { tokens, targets: next, inputs: Object.fromEntries(named) };
}

/** The logprobs of the targets of all rows, from those of each sequence. A server knows neither entropies nor hits. */
export function scoresOf(
  rows: readonly TrainingRow[],
  sequences: readonly RowSequence[],
  logprobs: readonly Float32Array[],
): RowScores[] {
  const found = rows.map(({ targets }) => new Float32Array(targets.tokens.length));
  for (const [i, { row, targets }] of sequences.entries()) {
    for (const { place, target } of targets) found[row]![target] = logprobs[i]![place]!;
  }
  return found.map((each) => ({ logprobs: each, entropies: null, hits: null }));
}
