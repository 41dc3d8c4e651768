import { sql } from 'kysely';
import { type LinesRow, planLines, type Stretch } from '../../../domain/runs/plan-lines.ts';
import { tooLarge } from '../../../util/failures.ts';
import type { Postgres } from '../postgres.ts';
import type { RunStream } from '../schema.ts';

/** Lines that a client streams at once; `firstLine` is the number of the first of them in its stream. */
export type NewLines = { stream: RunStream; firstLine: number; lines: string[] };

const columns = { history: 'history_lines', events: 'event_lines', log: 'log_lines' } as const;

/**
 * Adds lines to streams of a run, together with what else the request brought. Numbers have no gaps: lines that would leave
 * one follow the last line.
 * @returns false if the run does not exist
 */
export function appendLines(
  { db }: Postgres,
  runId: string,
  added: NewLines[],
  changes: { summary?: string; state?: string },
): Promise<boolean> {
  return db.transaction().execute(async (transaction) => {
    const run = await transaction
      .selectFrom('runs')
      .select(['id', 'history_lines', 'event_lines', 'log_lines'])
      .where('id', '=', runId)
      .forUpdate()
      .executeTakeFirst();
    if (!run) return false;
    const counts = { history_lines: run.history_lines, event_lines: run.event_lines, log_lines: run.log_lines };
    for (const { stream, firstLine, lines } of added) {
      if (lines.length === 0) continue;
      const column = columns[stream];
      const first = Math.min(firstLine, counts[column]);
      const end = first + lines.length;
      if (end > linesMax) throw tooLarge(`A run can stream at most ${linesMax} lines of ${stream}.`);
      await transaction
        .insertInto('run_lines')
        .values({
          run_id: runId,
          stream,
          first_line: first,
          lines: lines.length,
          content: lines.map(asLine).join('\n'),
        })
        .execute();
      counts[column] = startsAnew(stream, first) ? end : Math.max(counts[column], end);
    }
    await transaction
      .updateTable('runs')
      .set({ ...counts, ...changes, heartbeat_at: sql`now()` })
      .where('id', '=', runId)
      .execute();
    return true;
  });
}

const linesMax = 10_000_000;

/** A run that is started again with the same id streams its metrics from the first line; terminal output rewrites lines. */
function startsAnew(stream: RunStream, firstLine: number): boolean {
  return stream !== 'log' && firstLine === 0;
}

function asLine(text: string): string {
  return text
    .replace(/[\r\n]+$/, '')
    .replaceAll('\n', ' ')
    .replaceAll('\0', '\ufffd');
}

/** The lines of a stream in order, from a line on. Memory is bounded by what one request of the client brought. */
export async function* readLines(
  { db }: Postgres,
  runId: string,
  stream: RunStream,
  fromLine = 0,
): AsyncGenerator<string> {
  for (const { sequence, start, count, firstLine } of await planOf({ db }, runId, stream)) {
    if (firstLine + count <= fromLine) continue;
    const { content } = await db
      .selectFrom('run_lines')
      .select('content')
      .where('run_id', '=', runId)
      .where('stream', '=', stream)
      .where('sequence', '=', sequence)
      .executeTakeFirstOrThrow();
    yield* content.split('\n').slice(start + Math.max(0, fromLine - firstLine), start + count);
  }
}

async function planOf({ db }: Pick<Postgres, 'db'>, runId: string, stream: RunStream): Promise<Stretch[]> {
  const rows = await db
    .selectFrom('run_lines')
    .select(['sequence', 'first_line as firstLine', 'lines'])
    .where('run_id', '=', runId)
    .where('stream', '=', stream)
    .orderBy('sequence')
    .execute();
  const lines: LinesRow[] = rows.map((row) => ({ ...row, sequence: Number(row.sequence) }));
  const start = lines.findLastIndex((row) => startsAnew(stream, row.firstLine));
  return planLines(lines.slice(Math.max(0, start)));
}
