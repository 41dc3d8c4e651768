import { type HistoryRow, stepOf, writeHistoryRow } from '../../domain/runs/history.ts';
import type { Postgres } from '../../store/postgres/postgres.ts';
import { replaceHistory } from '../../store/postgres/runs/replace-history.ts';
import type { Run } from '../../store/postgres/runs/runs.ts';
import { unacceptable } from '../../util/failures.ts';

/**
 * Makes the rows of a run up to a step the complete history of a run: another run, for a fork, or the same one, for a
 * rewind. The client numbers its next row as if each step had one row, so steps without a row get an empty line.
 */
export async function copyHistory(
  postgres: Postgres,
  { from, to, step, rows }: { from: Run; to: Run; step: number; rows: AsyncIterable<HistoryRow> },
): Promise<void> {
  if (step >= stepsMax) throw unacceptable(`A run can be continued only before step ${stepsMax} (found ${step}).`);
  const lines: string[] = [];
  let summary: HistoryRow = {};
  for await (const row of rows) {
    if (stepOf(row) > step) continue;
    summary = { ...summary, ...row };
    lines.push(writeHistoryRow(row));
  }
  if (lines.length > step + 1) {
    throw unacceptable(
      `The run ${from.name} has several rows of one step, so it cannot be continued from step ${step}.`,
    );
  }
  const empty = new Array<string>(step + 1 - lines.length).fill('');
  await replaceHistory(postgres, to.id, [...empty, ...lines], writeHistoryRow(summary));
}

const stepsMax = 1_000_000;
