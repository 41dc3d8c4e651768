import type { TrainingRow } from '../row.ts';
import type { RowScores } from '../types.ts';
import { groupRows, type TrainingRun } from './group-rows.ts';
import type { RunOutputs } from './run.ts';

/** Computes rows in several runs if needed. @returns for each row, the results of its parts */
export async function runRows(
  rows: readonly TrainingRow[],
  tokensMax: number,
  compute: (run: TrainingRun) => Promise<RunOutputs>,
): Promise<RowScores[]> {
  const scores = rows.map(({ targets }) => {
    const empty = () => new Float32Array(targets.tokens.length);
    return { logprobs: empty(), entropies: empty(), hits: empty() };
  });
  for (const run of groupRows(rows, tokensMax)) {
    const { logprobs, entropies, hits } = await compute(run);
    for (const [i, { from, targets }] of run.parts.entries()) {
      for (const [j, target] of targets.entries()) {
        scores[from]!.logprobs[target] = logprobs[i]![j]!;
        scores[from]!.entropies[target] = entropies[i]![j]!;
        scores[from]!.hits[target] = hits[i]![j]!;
      }
    }
  }
  return scores;
}
