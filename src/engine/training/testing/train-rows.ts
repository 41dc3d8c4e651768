import type { Objective } from '../objectives/objective.ts';
import type { TrainingRow } from '../row.ts';
import { type LoraWeights, scoreRun, trainRun } from '../run/run.ts';
import { runRows } from '../run/run-rows.ts';
import type { TrainingSession } from '../run/training-session.ts';
import type { RowScores } from '../types.ts';

export function scoreRows(
  session: TrainingSession,
  lora: LoraWeights,
  rows: TrainingRow[],
  tokensMax = 1024,
): Promise<RowScores[]> {
  return runRows(rows, tokensMax, (run) => scoreRun(session, lora, run));
}

/** Computes rows as `scoreRows` does. @returns also the gradient of all parameters, summed over all runs */
export async function trainRows(
  session: TrainingSession,
  lora: LoraWeights,
  rows: TrainingRow[],
  objective: Objective,
  tokensMax = 1024,
): Promise<{ scores: RowScores[]; gradients: Float32Array }> {
  const gradients = new Float32Array(lora.layout.length);
  const scores = await runRows(rows, tokensMax, async (run) => {
    const outputs = await trainRun(session, lora, run, objective);
    for (const [i, gradient] of outputs.gradients.entries()) gradients[i]! += gradient;
    return outputs;
  });
  return { scores, gradients };
}
