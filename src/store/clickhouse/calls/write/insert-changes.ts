import type { CallRow } from '../../../../domain/calls/call-row.ts';
import { isRefusal } from '../../../../util/failures.ts';
import { isLarge } from '../../../../util/large-text.ts';
import { openTurn } from '../../../../util/turns.ts';
import type { ClickHouse } from '../../clickhouse.ts';
import { insertApart } from '../../rows/insert-apart.ts';
import { writeLargeCalls } from '../../rows/large-lines.ts';
import { toInsertLine } from '../call-line.ts';
import type { CallWrite } from './call-write.ts';
import { keyOf, type WriteResult } from './take-batch.ts';

/** The rows that change a call, and their lines. */
export type Change = { key: string; row: CallRow; rows: CallRow[]; bytes: Buffer };

export const noBytes = Buffer.alloc(0);

/** Inserts the rows of changes whose lines are written, and returns the error of each change that is not stored. */
export function insertChanges<Each extends Change>(clickhouse: ClickHouse, changes: Each[]): Promise<Map<Each, Error>> {
  return insertApart(changes, (part) => clickhouse.insert('calls', joined(part.map(({ bytes }) => bytes))));
}

export function joined(pieces: Buffer[]): Buffer {
  return pieces.length === 1 ? pieces[0]! : Buffer.concat(pieces);
}

/**
 * Writes the lines of changes, and returns the error of each change with a value that no column can store. The lines of
 * a large batch take longer than 50 ms, so this yields to other requests in between; a thread writes those of large calls.
 */
export async function writeLines<Each extends Change>(changes: Each[]): Promise<Map<Each, Error>> {
  const unwritable = new Map<Each, Error>();
  const inThread: Promise<void>[] = [];
  const turn = openTurn();
  for (const change of changes) {
    if (turn.isOver()) await turn.next();
    const { rows } = change;
    if (rows.some(isLargeCall)) {
      const written = writeLargeCalls(rows).then((bytes) => {
        change.bytes = bytes;
      });
      inThread.push(written.catch((error) => void unwritable.set(change, error)));
      continue;
    }
    try {
      change.bytes = Buffer.from(rows.map(toInsertLine).join(''));
    } catch (error) {
      unwritable.set(change, error as Error);
    }
  }
  await Promise.all(inThread);
  return unwritable;
}

/**
 * The results of a commit of which some calls failed. A rejected call may contain parts of several writers: each is tried
 * separately, so that only one gets the error.
 */
export async function reportFailures(
  writes: CallWrite[],
  results: WriteResult[],
  failed: Map<string, Error>,
  tryAlone: (write: CallWrite) => Promise<WriteResult>,
): Promise<WriteResult[]> {
  const sharers = Map.groupBy(writes, keyOf);
  const reported: WriteResult[] = [];
  for (const [i, write] of writes.entries()) {
    const failure = results[i] === 'stored' ? failed.get(keyOf(write)) : undefined;
    const isTriedAlone = isRefusal(failure) && sharers.get(keyOf(write))!.length > 1;
    reported.push(isTriedAlone ? await tryAlone(write) : (failure ?? results[i]!));
  }
  return reported;
}

function isLargeCall({ attributes, inputs, output, summary, otelDump }: CallRow): boolean {
  return isLarge(attributes, inputs, output, summary, otelDump);
}
