import { evaluateLoss } from '../../../engine/training/objectives/losses.ts';
import type { Objective } from '../../../engine/training/objectives/objective.ts';
import type { TrainingRow } from '../../../engine/training/row.ts';
import type { RowScores } from '../../../engine/training/types.ts';
import type { Datum } from '../client/datum.ts';
import { splitData } from '../client/split-data.ts';
import { type Reduction, sizesOf, undoneBy } from './reduction.ts';
import { datumOf, type RowSequence } from './sequences.ts';
import type { EqualLoss } from './server-loss.ts';

/**
 * The derivative of an objective with respect to the logprob of each target. A linear loss with these slopes has the gradient
 * of the objective: `importance_sampling` is one where its ratios are 1, with the negative slopes as advantages.
 */
export function slopesOf(
  rows: readonly TrainingRow[],
  scores: readonly RowScores[],
  objective: Objective,
): Float64Array[] {
  const { gradients } = evaluateLoss(rows, scores, objective);
  let start = 0;
  return rows.map(({ targets }) => {
    const end = start + targets.tokens.length;
    const own = gradients.slice(start, end);
    start = end;
    return own;
  });
}

/** The data of one optimizer step, with advantages that undo the division of the server. */
export function stepData(
  sequences: readonly RowSequence[],
  rows: readonly TrainingRow[],
  inputs: EqualLoss['inputs'],
  reduction: Reduction,
): Datum[] {
  const step = sizesOf(sequences);
  return splitData(sequences).flatMap((part) => {
    const all = reduction.over === 'step' ? step : sizesOf(part);
    return part.map((sequence) => {
      const datum = datumOf(sequence, rows, inputs);
      const { advantages } = datum.inputs;
      if (advantages === undefined) return datum;
      const factor = undoneBy(reduction, { tokens: sequence.tokens.length }, all);
      return { ...datum, inputs: { ...datum.inputs, advantages: advantages.map((each) => each * factor) } };
    });
  });
}
