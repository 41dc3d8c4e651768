import { setImmediate } from 'node:timers/promises';
import type { CallRow } from '../../../domain/calls/call-row.ts';
import { type CallKey, mergePart, tombstone } from '../../../domain/calls/merge.ts';
import type { CallPart } from '../../../domain/calls/part.ts';
import { ByteBoundedMap } from '../../../util/byte-bounded-map.ts';
import { nowMicroseconds } from '../../../util/timestamp.ts';
import type { ClickHouse } from '../clickhouse.ts';
import { toInsertLine } from './call-row.ts';
import { findRows } from './find-rows.ts';
import { openCallIds } from './stored-ids.ts';

/** A part of a call together with the call it belongs to. */
export type CallWrite = CallKey & {
  part: CallPart;
  /** Store the part only where the call's start is known. */
  needsStart?: boolean;
  /** Leave a call alone whose start came from an SDK rather than from a span. */
  yieldsToSdk?: boolean;
};

/** What became of a write: `unstarted` when it needed a start and there was none, `covered` when it yielded. */
type WriteOutcome = 'stored' | 'unstarted' | 'covered';

export type CallWriter = {
  /** Adds parts to their calls, in order; resolves when they are durable and visible. */
  write(writes: CallWrite[]): Promise<WriteOutcome[]>;
  /** Resolves when everything that was given in is written. */
  drain(): Promise<void>;
};

/**
 * The one way into the `calls` table. Requests that arrive while an insert runs share the next one (group commit), so
 * that throughput rises with load while an idle server answers at once. Each call is read before it is written, and
 * written whole: the reading side never has to put parts together (decisions/0001).
 */
export function openCallWriter(clickhouse: ClickHouse): CallWriter {
  const ids = openCallIds(clickhouse);
  // Calls that have started but not ended, or the reverse: their other part is likely to come soon.
  const unfinished = new ByteBoundedMap<string, CallRow>(unfinishedBytesMax, sizeOf);
  const waiting: Request[] = [];
  let working: Promise<void> | null = null;

  async function work(): Promise<void> {
    while (waiting.length > 0) {
      const requests = takeBatch(waiting);
      try {
        const outcomes = await commit(requests.flatMap((request) => request.writes));
        for (const request of requests) request.resolve(outcomes.splice(0, request.writes.length));
      } catch (error) {
        for (const request of requests) request.reject(error);
      }
    }
    working = null;
  }

  async function commit(writes: CallWrite[]): Promise<WriteOutcome[]> {
    const stored = await readStored(writes);
    const current = new Map(stored);
    const outcomes = writes.map((write): WriteOutcome => {
      const known = current.get(keyOf(write)) ?? null;
      if (write.needsStart && !known?.isStarted) return 'unstarted';
      if (write.yieldsToSdk && known?.isStarted && known.mapperVersion === 0) return 'covered';
      const merged = mergePart(known, write, write.part);
      if (merged) current.set(keyOf(write), merged);
      return 'stored';
    });
    const changed = [...current].filter(([key, row]) => row !== stored.get(key));
    const rows = changed.flatMap(([key, row]) => versionsToInsert(row, stored.get(key) ?? null));
    for (const { projectId, id } of rows) ids.add(projectId, id);
    try {
      await clickhouse.insert('calls', await insertLines(rows));
    } catch (error) {
      for (const [key] of changed) unfinished.delete(key); // whether it was stored is unknown: read it again next time
      throw error;
    }
    for (const row of rows) remember(row);
    return outcomes;
  }

  /** What is stored of the calls of these writes, from memory where possible. */
  async function readStored(writes: CallWrite[]): Promise<Map<string, CallRow>> {
    const stored = new Map<string, CallRow>();
    const missing = new Map<string, Set<string>>();
    for (const write of writes) {
      const row = unfinished.get(keyOf(write));
      if (row) stored.set(keyOf(write), row);
      else if (ids.mayHave(write.projectId, write.id)) {
        missing.set(write.projectId, (missing.get(write.projectId) ?? new Set()).add(write.id));
      }
    }
    for (const [projectId, callIds] of missing) {
      for (const row of await findRows(clickhouse, projectId, [...callIds])) stored.set(keyOf(row), row);
    }
    return stored;
  }

  function remember(row: CallRow): void {
    const isWaiting = !row.isDeleted && (row.endedAt === null || !row.isStarted);
    if (isWaiting) unfinished.set(keyOf(row), detached(row));
    else unfinished.delete(keyOf(row));
  }

  return {
    async write(writes) {
      if (writes.length === 0) return [];
      return new Promise((resolve, reject) => {
        waiting.push({ writes, resolve, reject });
        working ??= work();
      });
    },
    async drain() {
      while (working) await working;
    },
  };
}

/** Other requests have their turn between pieces: the lines of a large batch take longer than 50 ms. */
async function insertLines(rows: CallRow[]): Promise<Buffer> {
  const pieces: Buffer[] = [];
  for (let from = 0; from < rows.length; from += rowsInTurn) {
    if (from > 0) await setImmediate();
    const lines = rows.slice(from, from + rowsInTurn).map(toInsertLine);
    pieces.push(Buffer.from(lines.join('')));
  }
  return pieces.length === 1 ? pieces[0]! : Buffer.concat(pieces);
}

const rowsInTurn = 256;

type Request = {
  writes: CallWrite[];
  resolve(outcomes: WriteOutcome[]): void;
  reject(error: unknown): void;
};

const unfinishedBytesMax = 64 * 1024 * 1024;
const batchBytesMax = 8 * 1024 * 1024;

/**
 * The rows that bring a call from its stored version to the next. A call that moves in time, since its start came
 * after its end or came again, leaves a tombstone where it lay: ReplacingMergeTree compares only equal sorting keys.
 */
function versionsToInsert(row: CallRow, stored: CallRow | null): CallRow[] {
  const version = Math.max(nowMicroseconds(), (stored?.version ?? 0) + 1);
  if (!stored || stored.startedAt === row.startedAt) return [{ ...row, version }];
  return [
    { ...tombstone(stored), version },
    { ...row, version: version + 1 },
  ];
}

/** Takes requests up to a size; always at least one. */
function takeBatch(waiting: Request[]): Request[] {
  let bytes = 0;
  let count = 0;
  while (count < waiting.length && (count === 0 || bytes < batchBytesMax)) {
    for (const { part } of waiting[count++]!.writes) bytes += partSize(part);
  }
  return waiting.splice(0, count);
}

function partSize(part: CallPart): number {
  const overhead = 500;
  const start =
    'start' in part ? part.start.inputs.length + part.start.attributes.length + part.start.otelDump.length : 0;
  const end = 'end' in part ? part.end.output.length + part.end.summary.length : 0;
  return start + end + overhead;
}

function sizeOf({ attributes, inputs, output, summary, otelDump }: CallRow): number {
  return attributes.length + inputs.length + output.length + summary.length + otelDump.length + 1000;
}

/** A copy whose texts do not keep the request body alive from which they were cut. */
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

function keyOf({ projectId, id }: CallKey): string {
  return `${projectId}/${id}`;
}
