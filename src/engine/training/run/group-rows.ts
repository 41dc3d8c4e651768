import type { TrainingRow } from '../row.ts';
import { type Layout, layOut } from './lay-out.ts';
import { type RowPart, splitRows } from './split-rows.ts';

/** The parts of rows in a run of the graph. */
export type TrainingRun = { parts: RowPart[]; layout: Layout };

/**
 * Groups parts of similar length, to reduce padding. Activations are kept until the backward pass, so memory grows with the
 * tokens of a run; longer parts run alone. Parts without targets are left out.
 */
export function groupRows(rows: readonly TrainingRow[], tokensMax: number): TrainingRun[] {
  const parts = splitRows(rows, tokensMax).sort((a, b) => b.row.tokens.length - a.row.tokens.length);
  const runs: TrainingRun[] = [];
  for (const part of parts) {
    const last = runs.at(-1);
    const joined = last && runOf([...last.parts, part]);
    if (joined && joined.layout.lines.length * joined.layout.length <= tokensMax) runs[runs.length - 1] = joined;
    else runs.push(runOf([part]));
  }
  return runs;
}

function runOf(parts: RowPart[]): TrainingRun {
  return { parts, layout: layOut(parts.map(({ row }) => row)) };
}
