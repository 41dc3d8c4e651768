import type { Postgres } from '../postgres.ts';

/** Replaces the history of a run, with its summary. Lines are stored in blocks, so that reading them needs little memory. */
export function replaceHistory({ db }: Postgres, runId: string, lines: string[], summary: string): Promise<void> {
  return db.transaction().execute(async (transaction) => {
    await transaction.selectFrom('runs').select('id').where('id', '=', runId).forUpdate().execute();
    await transaction.deleteFrom('run_lines').where('run_id', '=', runId).where('stream', '=', 'history').execute();
    for (let first = 0; first < lines.length; first += linesAtOnce) {
      const block = lines.slice(first, first + linesAtOnce);
      await transaction
        .insertInto('run_lines')
        .values({ run_id: runId, stream: 'history', first_line: first, lines: block.length, content: block.join('\n') })
        .execute();
    }
    await transaction
      .updateTable('runs')
      .set({ history_lines: lines.length, summary })
      .where('id', '=', runId)
      .execute();
  });
}

const linesAtOnce = 1000;
