import type { TrainingRow } from '../row.ts';
import { type Layout, layOut } from './lay-out.ts';
import { type RowPart, splitRows } from './split-rows.ts';

/** Parts of rows that go through the graph in one run. */
export type TrainingRun = { parts: RowPart[]; layout: Layout };

/**
 * Parts of similar length together, so that little is filled up. Activations are kept from the forward to the backward
 * pass, so the tokens of a run decide how much memory it takes; a longer part runs alone. What has no target is left out.
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
