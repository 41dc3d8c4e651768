import { LRUCache } from 'lru-cache';
import type { CallKey, CallRow } from '../../../../domain/calls/call-row.ts';
import { mergePart, tombstone } from '../../../../domain/calls/merge.ts';
import { relationOf } from '../../../../domain/calls/span-copies.ts';
import { Failure, isRefusal } from '../../../../util/failures.ts';
import { isLarge } from '../../../../util/large-text.ts';
import { nowMicroseconds } from '../../../../util/timestamp.ts';
import { mapInTurns, openTurn } from '../../../../util/turns.ts';
import type { Peers } from '../../../peers/peers.ts';
import type { ClickHouse } from '../../clickhouse.ts';
import { insertApart } from '../../rows/insert-apart.ts';
import { writeLargeCalls } from '../../rows/large-lines.ts';
import { toInsertLine } from '../call-line.ts';
import { findRecentUsage } from '../find/find-recent-usage.ts';
import { findRows } from '../find/find-rows.ts';
import type { CallWrite, WriteOutcome } from './call-write.ts';
import { type Hold, openCommitQueues } from './commit-queues.ts';
import { openRequestLedger, type RepeatedMark } from './request-ledger.ts';
import { openCallIds } from './stored-ids.ts';
import { keyOf, type WriteResult } from './take-batch.ts';
import { openTopmostCalls } from './topmost-calls.ts';

export type CallWriter = {
  /**
   * Merges parts into their calls, in order; resolves when they are durable and visible.
   * @throws Failure if one of them cannot be stored; the others are stored.
   */
  write(writes: CallWrite[]): Promise<WriteOutcome[]>;
  /** The same for independent writes: returns the error of each write that cannot be stored. */
  writeEach(writes: CallWrite[]): Promise<(WriteOutcome | Failure)[]>;
  /** Resolves when everything that was submitted is written. */
  drain(): Promise<void>;
};

/**
 * The only writer of the `calls` table. Each call is read before it is written, and written as a whole: reads never have
 * to merge parts (decisions/0001). An error in one call fails only the writes to that call.
 */
export function openCallWriter(clickhouse: ClickHouse, peers: Pick<Peers, 'isAlone'>): CallWriter {
  const ids = openCallIds(clickhouse, peers);
  const ledger = openRequestLedger();
  // Calls that have started but not ended, or the reverse: their other part is likely to come soon.
  const unfinished = new LRUCache<string, CallRow>({ maxSize: unfinishedBytesMax, sizeCalculation: sizeOf });
  /** Marks of calls that another commit holds. */
  const postponed = new Map<string, RepeatedMark>();
  const queues = openCommitQueues(commit, () => {
    // Their calls may be free now, and no other request may come for a long time.
    if (postponed.size > 0) queues.submit([]).catch(() => {});
  });
  const topmost = openTopmostCalls(clickhouse, peers, queues.submit);
  const resumed = peers.isAlone ? resume() : Promise.resolve();

  /** If it fails, requests of which one report came before the server started are counted twice. */
  async function resume(): Promise<void> {
    try {
      ledger.resume(await findRecentUsage(clickhouse, resumedMax));
    } catch {}
  }

  async function commit(writes: CallWrite[], hold: Hold): Promise<WriteResult[]> {
    await resumed;
    const stored = await readStored(writes);
    const current = new Map(stored);
    const results = await mapInTurns(writes, (write) => merge(current, write));
    await markRepeated(current, stored, hold);
    const changes: Change[] = [];
    const turn = openTurn();
    for (const [key, row] of current) {
      if (turn.isOver()) await turn.next();
      const known = stored.get(key) ?? null;
      if (row !== known) changes.push({ key, row, before: known, rows: versionsToInsert(row, known), bytes: noBytes });
    }
    const failures = await insert(changes);
    const failed = new Map<string, Error>();
    for (const change of changes) {
      if (turn.isOver()) await turn.next();
      const failure = failures.get(change);
      if (failure) failed.set(change.key, failure);
      else {
        for (const row of change.rows) remember(row);
        topmost.note(change.row, change.before);
      }
    }
    return failed.size === 0 ? results : reportFailures(writes, results, failed, hold);
  }

  /** Marks requests that two calls report, one of which may have been stored earlier. */
  async function markRepeated(current: Map<string, CallRow>, stored: Map<string, CallRow>, hold: Hold): Promise<void> {
    await mapInTurns(current, ([key, row]) => {
      const before = stored.get(key);
      if (row === before) return;
      ledger.note(row.isDeleted && before ? { ...before, isDeleted: true } : row); // tombstones have no trace id
    });
    for (const mark of ledger.settle()) postponed.set(keyOf(mark), mark);
    const marks = [...postponed].filter(([key, mark]) => current.has(key) || hold(mark));
    for (const [key] of marks) postponed.delete(key);
    const elsewhere = marks.filter(([key]) => !current.has(key)).map(([, mark]) => mark);
    for (const row of await findAll(elsewhere)) {
      stored.set(keyOf(row), row);
      current.set(keyOf(row), row);
    }
    for (const [key, { isRepeated }] of marks) {
      const row = current.get(key);
      if (row && !row.isDeleted) current.set(key, { ...row, isRepeated });
    }
  }

  async function findAll(keys: CallKey[]): Promise<CallRow[]> {
    const rows: CallRow[] = [];
    for (const [projectId, of] of Map.groupBy(keys, (key) => key.projectId)) {
      rows.push(
        ...(await findRows(
          clickhouse,
          projectId,
          of.map(({ id }) => id),
        )),
      );
    }
    return rows;
  }

  /** Inserts what has changed, and returns the error of each change that is not stored. */
  async function insert(changes: Change[]): Promise<Map<Change, Error>> {
    const unwritable = await writeLines(changes);
    const writable = changes.filter((change) => !unwritable.has(change));
    await mapInTurns(writable, ({ rows }) => {
      for (const { projectId, id } of rows) ids.add(projectId, id);
    });
    const failures = await insertApart(writable, (part) =>
      clickhouse.insert('calls', part.length === 1 ? part[0]!.bytes : Buffer.concat(part.map(({ bytes }) => bytes))),
    );
    // It is unknown whether they are stored: read them again next time.
    for (const change of [...unwritable.keys(), ...failures.keys()]) unfinished.delete(change.key);
    return new Map([...unwritable, ...failures]);
  }

  /**
   * A rejected call may contain parts of several writers: each is tried separately, so that only one gets the error.
   */
  async function reportFailures(
    writes: CallWrite[],
    results: WriteResult[],
    failed: Map<string, Error>,
    hold: Hold,
  ): Promise<WriteResult[]> {
    const sharers = Map.groupBy(writes, keyOf);
    const reported: WriteResult[] = [];
    for (const [i, write] of writes.entries()) {
      const failure = results[i] === 'stored' ? failed.get(keyOf(write)) : undefined;
      const isTriedAlone = isRefusal(failure) && sharers.get(keyOf(write))!.length > 1;
      reported.push(isTriedAlone ? (await commit([write], hold))[0]! : (failure ?? results[i]!));
    }
    return reported;
  }

  /** The stored versions of the calls of these writes, from memory if possible. */
  async function readStored(writes: CallWrite[]): Promise<Map<string, CallRow>> {
    const stored = new Map<string, CallRow>();
    const missing = new Map<string, CallKey>();
    const turn = openTurn();
    for (const write of writes) {
      if (turn.isOver()) await turn.next();
      const row = unfinished.get(keyOf(write));
      if (row) stored.set(keyOf(write), row);
      else if (ids.mayHave(write.projectId, write.id)) missing.set(keyOf(write), write);
    }
    for (const row of await findAll([...missing.values()])) stored.set(keyOf(row), row);
    return stored;
  }

  function remember(row: CallRow): void {
    const isWaiting = !row.isDeleted && (row.endedAt === null || !row.isStarted);
    if (isWaiting) unfinished.set(keyOf(row), detached(row));
    else unfinished.delete(keyOf(row));
  }

  async function writeEach(writes: CallWrite[]): Promise<(WriteOutcome | Failure)[]> {
    return writes.length === 0 ? [] : queues.submit(writes);
  }

  return {
    writeEach,
    async write(writes) {
      return (await writeEach(writes)).map((outcome) => {
        if (outcome instanceof Failure) throw outcome;
        return outcome;
      });
    },
    async drain() {
      await queues.drain();
      await topmost.drain();
    },
  };
}

/** Merges a part into its call in `current`. A part that cannot be merged does not affect others. */
function merge(current: Map<string, CallRow>, write: CallWrite): WriteResult {
  const known = current.get(keyOf(write)) ?? null;
  if (write.needsStart && !known?.isStarted) return 'unstarted';
  if (write.yieldsToSdk && known?.isStarted && known.mapperVersion === 0) return 'covered';
  if (write.spanTraceId !== undefined) {
    const relation = relationOf(known, write.part, write.spanTraceId);
    if (relation !== 'same') return relation;
  }
  try {
    const merged = mergePart(known, write, write.part);
    if (merged) current.set(keyOf(write), merged);
    return 'stored';
  } catch (error) {
    return error as Error;
  }
}

/**
 * Writes the lines of changes, and returns the error of each change with a value that no column can store. The lines of
 * a large batch take longer than 50 ms, so this yields to other requests in between; a thread writes those of large calls.
 */
async function writeLines(changes: Change[]): Promise<Map<Change, Error>> {
  const unwritable = new Map<Change, Error>();
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

/** A changed call and what was stored of it: the rows to insert, and their lines. */
type Change = { key: string; row: CallRow; before: CallRow | null; rows: CallRow[]; bytes: Buffer };
const noBytes = Buffer.alloc(0);

const unfinishedBytesMax = 64 * 1024 * 1024;
/** Calls that the ledger of requests knows after a start. */
const resumedMax = 10_000;

/**
 * The rows that change a call from its stored version to the next. A call that moves in time, because its start arrived
 * after its end or arrived again, leaves a tombstone at its old key: ReplacingMergeTree only compares equal sorting
 * keys.
 */
function versionsToInsert(row: CallRow, stored: CallRow | null): CallRow[] {
  const version = Math.max(nowMicroseconds(), (stored?.version ?? 0) + 1);
  if (!stored || stored.startedAt === row.startedAt) return [{ ...row, version }];
  return [
    { ...tombstone(stored), version },
    { ...row, version: version + 1 },
  ];
}

function isLargeCall({ attributes, inputs, output, summary, otelDump }: CallRow): boolean {
  return isLarge(attributes, inputs, output, summary, otelDump);
}

function sizeOf({ attributes, inputs, output, summary, otelDump }: CallRow): number {
  return attributes.length + inputs.length + output.length + summary.length + otelDump.length + 1000;
}

/** A copy whose strings do not keep the request body that they were cut from in memory. */
function detached(row: CallRow): CallRow {
  const copy = (text: string) => Buffer.from(text).toString();
  const { attributes, inputs, output, summary, otelDump } = row;
  return {
    ...row,
    attributes: copy(attributes),
    inputs: copy(inputs),
    output: copy(output),
    summary: copy(summary),
    otelDump: copy(otelDump),
  };
}
