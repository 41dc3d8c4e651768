import type { TrainingRow } from '../../../engine/training/row.ts';
import { invalidInput } from '../../../util/failures.ts';
import type { Datum } from '../client/datum.ts';
import { stepData } from '../losses/linear-loss.ts';
import type { Reduction } from '../losses/reduction.ts';
import type { RowSequence, TargetValues } from '../losses/sequences.ts';

/** Linear losses that were computed and not sent: how a server divides them is known only once a step has all of them. */
export type LinearPart = {
  rows: readonly TrainingRow[];
  sequences: readonly RowSequence[];
  advantages: TargetValues;
  logprobs: TargetValues;
};

/** The data of all parts for one step. */
export function dataOf(parts: readonly LinearPart[], reduction: Reduction): Datum[] {
  const rows = parts.flatMap((part) => part.rows);
  let start = 0;
  const sequences = parts.flatMap((part) => {
    const first = start;
    start += part.rows.length;
    return part.sequences.map((each) => ({ ...each, row: first + each.row }));
  });
  const advantages = parts.flatMap((part) => part.advantages);
  const logprobs = parts.flatMap((part) => part.logprobs);
  const data = stepData(sequences, rows, { advantages, logprobs }, reduction);
  for (const { inputs } of data) {
    if (inputs.advantages!.every(Number.isFinite)) continue;
    throw invalidInput('An advantage is not a finite number.');
  }
  return data;
}
