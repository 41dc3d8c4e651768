import { sql } from 'kysely';
import { type LinesRow, planLines, type Stretch } from '../../../domain/runs/plan-lines.ts';
import { tooLarge } from '../../../util/failures.ts';
import type { Postgres } from '../postgres.ts';
import type { RunStream } from '../schema.ts';

/** Lines that a client streams at once; `firstLine` is the number of the first of them in its stream. */
export type NewLines = { stream: RunStream; firstLine: number; lines: string[] };

/** What else a client reports. */
export type ReportedChanges = {
  /** The new summary from the one that is stored. */
  summarize?: (stored: string) => string;
  state?: string;
};

const columns = { history: 'history_lines', events: 'event_lines', log: 'log_lines' } as const;

/**
 * Adds lines to streams of a run, together with what else the request brought. Numbers have no gaps: lines that would leave
 * one follow the last line. Clients that share a run have ids, and number their lines each on its own.
 * @returns false if the run does not exist
 */
export function appendLines(
  { db }: Postgres,
  { runId, clientId }: { runId: string; clientId: string },
  added: NewLines[],
  { summarize, ...changes }: ReportedChanges,
): Promise<boolean> {
  return db.transaction().execute(async (transaction) => {
    const run = await transaction
      .selectFrom('runs')
      .select(['id', 'history_lines', 'event_lines', 'log_lines', 'summary'])
      .where('id', '=', runId)
      .forUpdate()
      .executeTakeFirst();
    if (!run) return false;
    const counts = { history_lines: run.history_lines, event_lines: run.event_lines, log_lines: run.log_lines };
    for (const { stream, firstLine, lines } of added) {
      if (lines.length === 0) continue;
      const column = columns[stream];
      const client = { runId, clientId, stream };
      const known =
        clientId === ''
          ? counts[column]
          : ((await endOfClient({ db: transaction }, client)) ?? Math.min(firstLine, counts[column]));
      const first = Math.min(firstLine, known);
      const end = first + lines.length;
      const total = startsAnew({ stream, clientId, firstLine: first })
        ? end
        : counts[column] + Math.max(0, end - known);
      if (Math.max(end, total) > linesMax) throw tooLarge(`A run can stream at most ${linesMax} lines of ${stream}.`);
      await transaction
        .insertInto('run_lines')
        .values({
          run_id: runId,
          stream,
          client_id: clientId,
          first_line: first,
          lines: lines.length,
          content: lines.map(asLine).join('\n'),
        })
        .execute();
      counts[column] = total;
    }
    const summary = summarize?.(run.summary);
    await transaction
      .updateTable('runs')
      .set({ ...counts, ...changes, ...(summary === undefined ? {} : { summary }), heartbeat_at: sql`now()` })
      .where('id', '=', runId)
      .execute();
    return true;
  });
}

/** The number after the client's last line; null if it has sent none. A client may begin after the lines of others. */
async function endOfClient(
  { db }: Pick<Postgres, 'db'>,
  { runId, clientId, stream }: { runId: string; clientId: string; stream: RunStream },
): Promise<number | null> {
  const { end } = await db
    .selectFrom('run_lines')
    .select(sql<number | null>`max(first_line + lines)`.as('end'))
    .where('run_id', '=', runId)
    .where('stream', '=', stream)
    .where('client_id', '=', clientId)
    .executeTakeFirstOrThrow();
  return end;
}

const linesMax = 10_000_000;

/**
 * A run that is started again with the same id streams its metrics from the first line; terminal output rewrites lines. A
 * client that shares a run never replaces what others have sent.
 */
function startsAnew({
  stream,
  clientId,
  firstLine,
}: {
  stream: RunStream;
  clientId: string;
  firstLine: number;
}): boolean {
  return stream !== 'log' && clientId === '' && firstLine === 0;
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
  let skipped = 0;
  for (const { sequence, start, count } of await planOf({ db }, runId, stream)) {
    const skip = Math.min(count, Math.max(0, fromLine - skipped));
    skipped += skip;
    if (skip === count) continue;
    const { content } = await db
      .selectFrom('run_lines')
      .select('content')
      .where('run_id', '=', runId)
      .where('stream', '=', stream)
      .where('sequence', '=', sequence)
      .executeTakeFirstOrThrow();
    yield* content.split('\n').slice(start + skip, start + count);
  }
}

async function planOf({ db }: Pick<Postgres, 'db'>, runId: string, stream: RunStream): Promise<Stretch[]> {
  const rows = await db
    .selectFrom('run_lines')
    .select(['sequence', 'client_id as clientId', 'first_line as firstLine', 'lines'])
    .where('run_id', '=', runId)
    .where('stream', '=', stream)
    .orderBy('sequence')
    .execute();
  const lines: LinesRow[] = rows;
  const start = lines.findLastIndex((row) => startsAnew({ ...row, stream }));
  return planLines(lines.slice(Math.max(0, start)));
}
