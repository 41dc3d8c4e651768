import { setTimeout } from 'node:timers/promises';
import type { CallKey, CallRow } from '../../../../../domain/calls/call-row.ts';
import {
  type FoldedCall,
  foldedRow,
  foldLines,
  lateSpans,
  otherTimes,
  sourcesOf,
  versionOf,
} from '../../../../../domain/calls/fold-lines.ts';
import { tombstone } from '../../../../../domain/calls/merge.ts';
import {
  contentOfPart,
  contentOfRow,
  type PartContent,
  type PartLine,
  withdrawal,
} from '../../../../../domain/calls/part-line.ts';
import { isRefusal } from '../../../../../util/failures.ts';
import { isLarge } from '../../../../../util/large-text.ts';
import { mapInTurns } from '../../../../../util/turns.ts';
import type { NumberBlock, WriteNumbers } from '../../../../peers/write-numbers.ts';
import type { ClickHouse } from '../../../clickhouse.ts';
import { insertApart } from '../../../rows/insert-apart.ts';
import { writeLargeParts } from '../../../rows/large-lines.ts';
import { findRows } from '../../find/find-rows.ts';
import type { CallWrite } from '../call-write.ts';
import type { Committer } from '../commit-queues.ts';
import { type Change, insertChanges, joined, noBytes, reportFailures, writeLines } from '../insert-changes.ts';
import { keyOf, partsMax, type WriteResult } from '../take-batch.ts';
import type { TopmostCalls } from '../topmost-calls.ts';
import { findRepeated } from './find-repeated.ts';
import { findParts, lineOf, type Numbers, type StoredPart } from './part-lines.ts';
import { type PartToWrite, toPartLine } from './to-part-line.ts';
import { findTouchedTraces, hasOnlyRoot } from './touched-traces.ts';

/** What a batch has of a call. */
type Own = { key: string; call: CallKey; parts: { write: CallWrite; line: PartLine }[] };

/** A call as its visible parts make it. */
type Made = { own: Own; lines: PartLine[]; folded: FoldedCall; change: Change };

/**
 * The commits of a process that others write beside (decisions/0026). Each inserts its parts, then looks what there is of their
 * calls, and then writes the rows that all visible parts make together: of two processes at least one sees the parts of both.
 */
export function openCommitShared(clickhouse: ClickHouse, numbers: WriteNumbers, topmost: TopmostCalls): Committer {
  async function commit(writes: CallWrite[]): Promise<WriteResult[]> {
    const results: WriteResult[] = [];
    for (let from = 0; from < writes.length; from += partsMax) {
      results.push(...(await commitBlock(writes.slice(from, from + partsMax))));
    }
    return results;
  }

  /** Writes again what was written while the lease of this process ended: others have not waited for it. */
  async function commitBlock(writes: CallWrite[]): Promise<WriteResult[]> {
    for (;;) {
      const block = await numbers.take();
      try {
        const unstarted = await findUnstarted(writes);
        const started = writes.filter((write) => !unstarted.has(write));
        const owns = numbered(started, block);
        const results = await commitAs(owns, started);
        if (block.isHeld()) return writes.map((write) => (unstarted.has(write) ? 'unstarted' : results.shift()!));
        await withdraw(owns);
      } finally {
        block.release();
      }
    }
  }

  async function commitAs(owns: Own[], writes: CallWrite[]): Promise<WriteResult[]> {
    const prepared = await mapInTurns(owns, prepare);
    const failed = new Map<string, Error>();
    for (const [{ key }, error] of await writeLines(prepared)) failed.set(key, error);
    const writable = owns.filter(({ key }) => !failed.has(key));
    for (const [{ key }, error] of await insertParts(writable)) failed.set(key, error);
    const inserted = new Map(prepared.filter(({ key }) => !failed.has(key)).map((change) => [change.key, change]));
    const remaining = writable.filter(({ key }) => inserted.has(key));
    const made = await make(remaining, inserted, (ready) => store(ready, inserted, failed));
    await withdraw(remaining.filter(({ key }) => isRefusal(failed.get(key))));
    await settleTraces(made.filter(({ own }) => !failed.has(own.key)));
    const outcomes = outcomesOf(made);
    const results = writes.map((write) => outcomes.get(write) ?? 'stored');
    return failed.size === 0
      ? results
      : reportFailures(writes, results, failed, async (write) => (await commitBlock([write]))[0]!);
  }

  /** Inserts the rows of calls. */
  async function store(made: Made[], prepared: Map<string, Change>, failed: Map<string, Error>): Promise<void> {
    const changed = made.filter(({ own, change }) => prepared.get(own.key) !== change).map(({ change }) => change);
    for (const [{ key }, error] of await writeLines(changed)) failed.set(key, error);
    const changes = made.map(({ change }) => change).filter(({ key }) => !failed.has(key));
    for (const [{ key }, error] of await insertChanges(clickhouse, changes)) failed.set(key, error);
    for (const { own, folded, change } of made) if (!failed.has(own.key)) noteTopmost(change.row, folded);
  }

  /** The writes that need a start which neither is stored nor comes before them in the batch. */
  async function findUnstarted(writes: CallWrite[]): Promise<Set<CallWrite>> {
    const started = new Set<string>();
    const needing: CallWrite[] = [];
    for (const write of writes) {
      if ('start' in write.part) started.add(keyOf(write));
      else if (write.needsStart && !started.has(keyOf(write))) needing.push(write);
    }
    if (needing.length === 0) return new Set();
    const found = await look(needing);
    const isStarted = (write: CallWrite) => {
      const parts = found.get(keyOf(write)) ?? [];
      return foldLines(parts.map(({ line }) => line)).start !== null;
    };
    return new Set(needing.filter((write) => !isStarted(write)));
  }

  function numbered(writes: CallWrite[], block: NumberBlock): Own[] {
    const origin = { process: numbers.process, settledBefore: numbers.settledAtLeast() };
    return [...Map.groupBy(writes, keyOf)].map(([key, of]) => ({
      key,
      call: { projectId: of[0]!.projectId, id: of[0]!.id },
      parts: of.map((write, i) => ({ write, line: lineOf(write, { ...origin, number: block.first + i }) })),
    }));
  }

  async function insertParts(owns: Own[]): Promise<Map<Own, Error>> {
    const bytes = new Map<Own, Buffer>();
    const unwritable = new Map<Own, Error>();
    const inThread: Promise<void>[] = [];
    await mapInTurns(owns, (own) => {
      const parts = own.parts.map(({ write, line }) => ({ call: own.call, line, part: write.part }));
      const fail = (error: Error) => void unwritable.set(own, error);
      if (parts.some(isLargePart)) {
        inThread.push(writeLargeParts(parts).then((written) => void bytes.set(own, written), fail));
        return;
      }
      try {
        bytes.set(own, Buffer.from(parts.map(toPartLine).join('')));
      } catch (error) {
        fail(error as Error);
      }
    });
    await Promise.all(inThread);
    const failures = await insertApart([...bytes.keys()], (part) =>
      clickhouse.insert('call_parts', joined(part.map((own) => bytes.get(own)!))),
    );
    return new Map([...unwritable, ...failures]);
  }

  /** The visible parts of calls, by `keyOf`; without the fields of known ones. */
  async function look(calls: CallKey[], known?: Numbers): Promise<Map<string, StoredPart[]>> {
    const found = new Map<string, StoredPart[]>();
    for (const [projectId, of] of Map.groupBy(calls, (call) => call.projectId)) {
      const ids = [...new Set(of.map(({ id }) => id))];
      for (const [id, parts] of await findParts(clickhouse, projectId, ids, known)) {
        found.set(keyOf({ projectId, id }), parts);
      }
    }
    return found;
  }

  /**
   * Makes and stores what all visible parts of these calls make. The fields of a complete call are in its row, which another
   * process may not have inserted yet: it is waited for, unless it never comes. The other process may be waiting for a
   * row of this batch, so what is ready is stored before.
   */
  async function make(
    owns: Own[],
    prepared: Map<string, Change>,
    storeReady: (ready: Made[]) => Promise<void>,
  ): Promise<Made[]> {
    const made: Made[] = [];
    const lost = new Set<string>();
    let waiting = owns;
    for (let waitMs = 5; waiting.length > 0; waitMs = Math.min(2 * waitMs, 250)) {
      const found = await look(
        waiting.map(({ call }) => call),
        numbersOf(waiting),
      );
      const views = await mapInTurns(waiting, (own) => viewOf(own, found.get(own.key) ?? [], lost));
      if (await withdrawLate(views)) continue;
      const contents = await readContents(views);
      const incomplete = views.filter((view) => contents.lacks(view).length > 0);
      const complete = views.filter((view) => !incomplete.includes(view));
      const ready = await mapInTurns(complete, (view) => toMade(view, contents, prepared));
      await storeReady(ready);
      made.push(...ready);
      waiting = incomplete.map(({ own }) => own);
      if (waiting.length > 0 && !(await findLost(incomplete, contents, lost))) await setTimeout(waitMs);
    }
    return made;
  }

  /** Takes back spans whose id another process has given to a span of another trace. @returns whether there were any */
  async function withdrawLate(views: View[]): Promise<boolean> {
    const late = views.flatMap(({ own, lines, folded }) => {
      const ofSpans = lateSpans(
        own.parts.map(({ line }) => line),
        lines,
        folded,
      );
      return withdrawals(own, ofSpans);
    });
    if (late.length > 0) await clickhouse.insert('call_parts', Buffer.from(late.join('')));
    return late.length > 0;
  }

  /** Takes back parts that no row can hold, or that became visible too late: the rest of the call must not depend on them. */
  async function withdraw(owns: Own[]): Promise<void> {
    const refused = owns.flatMap((own) =>
      withdrawals(
        own,
        own.parts.map(({ line }) => line),
      ),
    );
    if (refused.length > 0) await clickhouse.insert('call_parts', Buffer.from(refused.join('')));
  }

  /** Adds the payloads that never come. @returns whether there are any */
  async function findLost(views: View[], contents: Contents, lost: Set<string>): Promise<boolean> {
    const over = await findOver(views.flatMap((view) => contents.lacks(view)));
    if (over.length === 0) return false;
    // Their rows became visible before they were over, so they are looked for once more.
    const late = await readContents(views);
    for (const view of views) {
      const isNewer = (late.rowOf(view)?.version ?? 0) > versionOf(view.lines); // it has further parts: look again
      for (const line of isNewer ? [] : late.lacks(view)) {
        if (over.includes(line)) lost.add(lostKey(view.own.key, line.number));
      }
    }
    return true;
  }

  /** Of these parts, those whose process has written what it will ever write of them. */
  async function findOver(lines: PartLine[]): Promise<PartLine[]> {
    const over: PartLine[] = [];
    for (const line of lines) if (await numbers.isOver(line.process, line.number)) over.push(line);
    return over;
  }

  /** Reads rows of `calls` for the payloads that neither the batch nor `call_parts` has. */
  async function readContents(views: View[]): Promise<Contents> {
    const rows = new Map<string, CallRow>();
    const lacking = views.filter((view) => lacks(view, null).length > 0);
    for (const [projectId, of] of Map.groupBy(lacking, ({ own }) => own.call.projectId)) {
      const ids = of.map(({ own }) => own.call.id);
      for (const row of await findRows(clickhouse, projectId, ids)) rows.set(keyOf(row), row);
    }
    return {
      rowOf: ({ own }) => rows.get(own.key) ?? null,
      lacks: (view) => lacks(view, rows.get(view.own.key) ?? null),
    };
  }

  /** Marks requests that two calls report, whichever process has stored them. A trace with a root needs no topmost call. */
  async function settleTraces(made: Made[]): Promise<void> {
    const touched = made.flatMap(({ folded: { start }, change }) => (start ? [{ row: change.row, start }] : []));
    const traces = await findTouchedTraces(clickhouse, touched);
    for (const trace of traces) if (hasOnlyRoot(trace)) topmost.noteSettled(trace);
    const marks = await findRepeated(clickhouse, traces);
    if (marks.length === 0) return;
    for (const result of await commitBlock(marks)) if (result instanceof Error) throw result;
  }

  /** The trace of a deleted call may have lost its root. */
  function noteTopmost(row: CallRow, { start }: FoldedCall): void {
    if (!row.isDeleted || start === null) topmost.note(row, null);
    else topmost.note(row, { ...row, isDeleted: false, isStarted: true, traceId: start.traceId });
  }

  return { commit, hasMore: () => false };
}

/** Whether a thread writes the line of a part: a start or an end, since the payloads of others are not in it. */
function isLargePart({ part }: PartToWrite): boolean {
  if (part?.kind === 'start') return isLarge(part.start.attributes, part.start.inputs, part.start.otelDump);
  return part?.kind === 'end' && isLarge(part.end.output, part.end.summary, part.end.exception);
}

/** The lines that take back some of the own parts. Their numbers follow those of the parts. */
function withdrawals({ call, parts }: Own, lines: PartLine[]): string[] {
  const next = Math.max(...parts.map(({ line }) => line.number)) + 1;
  return lines.map((line, i) => toPartLine({ call, line: withdrawal(line, next + i), part: null }));
}

/** Of the parts of a batch. They are in one block, which has nothing else. */
function numbersOf(owns: Own[]): Numbers {
  const own = owns.flatMap(({ parts }) => parts.map(({ line }) => line.number));
  return { first: Math.min(...own), end: Math.max(...own) + 1 };
}

type View = { own: Own; parts: StoredPart[]; lines: PartLine[]; folded: FoldedCall };
type Contents = { rowOf(view: View): CallRow | null; lacks(view: View): PartLine[] };

const lostKey = (key: string, number: number) => `${key} ${number}`;

/** A call as its visible parts make it, without those whose payload is lost: they were never acknowledged. */
function viewOf(own: Own, visible: StoredPart[], lost: Set<string>): View {
  const byNumber = new Map(visible.map((part) => [part.line.number, part]));
  for (const { write, line } of own.parts) byNumber.set(line.number, { line, content: contentOfPart(write.part) });
  const parts = [...byNumber.values()];
  const lines = parts.map(({ line }) => line);
  const folded = foldLines(lines.filter(({ number }) => !lost.has(lostKey(own.key, number))));
  return { own, parts, lines, folded };
}

/** The row that a batch alone makes of a call: most calls have no other parts. */
function prepare(own: Own): Change {
  const view = viewOf(own, [], new Set());
  return toChange(view, null);
}

function toMade(view: View, contents: Contents, prepared: Map<string, Change>): Made {
  const { own, lines, folded } = view;
  const isAlone = lines.length === own.parts.length;
  const change = isAlone ? prepared.get(own.key)! : toChange(view, contents.rowOf(view));
  return { own, lines, folded, change };
}

function toChange(view: View, stored: CallRow | null): Change {
  const { own, lines, folded } = view;
  const version = versionOf(lines);
  const made = foldedRow(own.call, folded, (number) => contentOf(view, number, stored)!);
  const sources = { startNumber: folded.start?.number ?? 0, endNumber: folded.end?.number ?? 0 };
  const row = { ...made, ...(made.isDeleted ? {} : sources), version };
  const hidden = otherTimes(lines, row.startedAt).map((startedAt) => ({
    ...tombstone({ ...row, startedAt }),
    version: version - 1,
  }));
  return { key: own.key, row, rows: [...hidden, row], bytes: noBytes };
}

/** The parts whose payloads the call needs, and that are not found. */
function lacks(view: View, stored: CallRow | null): PartLine[] {
  const missing = sourcesOf(view.folded).filter((number) => !contentOf(view, number, stored));
  return view.lines.filter(({ number }) => missing.includes(number));
}

/** The fields of a part: from the part itself, or else from the row that was made of it. Null if a needed one is in neither. */
function contentOf({ parts, folded }: View, number: number, stored: CallRow | null): PartContent | null {
  const own = parts.find(({ line }) => line.number === number)?.content;
  if (own) return own;
  if (!stored || stored.isDeleted) return null;
  const fields = contentOfRow(stored);
  const isOf = (source: number) => (source || stored.version) === number; // a process that was alone gives no numbers
  if (folded.start?.number === number && !(fields.start && isOf(stored.startNumber))) return null;
  if (folded.end?.number === number && !(fields.end && isOf(stored.endNumber))) return null;
  return fields;
}

function outcomesOf(made: Made[]): Map<CallWrite, WriteResult> {
  const outcomes = new Map<CallWrite, WriteResult>();
  for (const { own, folded } of made) {
    for (const { write, line } of own.parts) outcomes.set(write, folded.outcomes.get(line.number)!);
  }
  return outcomes;
}
