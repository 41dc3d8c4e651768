import { LRUCache } from 'lru-cache';
import type { CallKey, CallRow } from '../../../../domain/calls/call-row.ts';
import { mergePart, tombstone } from '../../../../domain/calls/merge.ts';
import { relationOf } from '../../../../domain/calls/span-copies.ts';
import { nowMicroseconds } from '../../../../util/timestamp.ts';
import { mapInTurns, openTurn } from '../../../../util/turns.ts';
import type { ClickHouse } from '../../clickhouse.ts';
import { findRecentUsage } from '../find/find-recent-usage.ts';
import { findRows } from '../find/find-rows.ts';
import type { CallWrite } from './call-write.ts';
import type { Committer, Hold } from './commit-queues.ts';
import { type Change, insertChanges, noBytes, reportFailures, writeLines } from './insert-changes.ts';
import { openRequestLedger, type RepeatedMark } from './request-ledger.ts';
import { openCallIds } from './stored-ids.ts';
import { keyOf, type WriteResult } from './take-batch.ts';
import type { TopmostCalls } from './topmost-calls.ts';

/**
 * The commits of a process that is alone. Each call is read before it is written, from memory if possible.
 */
export function openCommitAlone(clickhouse: ClickHouse, topmost: TopmostCalls): Committer {
  const ids = openCallIds(clickhouse);
  const ledger = openRequestLedger();
  // Calls that have started but not ended, or the reverse: their other part is likely to come soon.
  const unfinished = new LRUCache<string, CallRow>({ maxSize: unfinishedBytesMax, sizeCalculation: sizeOf });
  /** Marks of calls that another commit holds. */
  const postponed = new Map<string, RepeatedMark>();
  const resumed = resume();

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
    const changes: ChangeOfStored[] = [];
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
    return failed.size === 0
      ? results
      : reportFailures(writes, results, failed, async (write) => (await commit([write], hold))[0]!);
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
  async function insert(changes: ChangeOfStored[]): Promise<Map<ChangeOfStored, Error>> {
    const unwritable = await writeLines(changes);
    const writable = changes.filter((change) => !unwritable.has(change));
    await mapInTurns(writable, ({ rows }) => {
      for (const { projectId, id } of rows) ids.add(projectId, id);
    });
    const failures = await insertChanges(clickhouse, writable);
    // It is unknown whether they are stored: read them again next time.
    for (const change of [...unwritable.keys(), ...failures.keys()]) unfinished.delete(change.key);
    return new Map([...unwritable, ...failures]);
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

  return { commit, hasMore: () => postponed.size > 0 };
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

/** A changed call, and what was stored of it. */
type ChangeOfStored = Change & { before: CallRow | null };

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
  const ofNoPart = { startNumber: 0, endNumber: 0 };
  if (!stored || stored.startedAt === row.startedAt) return [{ ...row, ...ofNoPart, version }];
  return [
    { ...tombstone(stored), version },
    { ...row, ...ofNoPart, version: version + 1 },
  ];
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
