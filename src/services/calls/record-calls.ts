import type { ProjectId } from '../../contract/ids.ts';
import { withDescendants } from '../../domain/calls/descendants.ts';
import { isCallId } from '../../domain/calls/ids.ts';
import { completeToPart, type NewEnd, type NewStart, renameToPart } from '../../domain/calls/new-call.ts';
import type { CallPart } from '../../domain/calls/part.ts';
import { findTraceMembers } from '../../store/clickhouse/calls/find/find-trace-members.ts';
import type { CallWrite, WriteOutcome } from '../../store/clickhouse/calls/write/call-write.ts';
import type { CallWriter } from '../../store/clickhouse/calls/write/call-writer.ts';
import { type Failure, isRefusal, tooLarge } from '../../util/failures.ts';
import { openTurn } from '../../util/turns.ts';
import type { Deps } from '../deps.ts';
import { makeComplete, makeEnd, makeStart } from './make-parts.ts';

/**
 * Writes calls in two steps: first a part is made and checked, then it is recorded. So a rejected request has written
 * nothing, not even its project.
 */
export type RecordCalls = {
  /** @throws Failure for an id, name, ref or value that no call can have. The next three throw the same. */
  makeStart(start: NewStart, userId: string): Promise<CallPart>;
  makeEnd(end: NewEnd & { id: string }): Promise<CallPart>;
  makeComplete(call: NewStart & NewEnd, userId: string): Promise<CallPart>;
  /** Also accepts a call that has not arrived yet, because clients send their starts in the background. */
  makeRename(id: string, displayName: string): CallPart;

  /**
   * Adds parts to their calls, in order; resolves when they are durable and visible.
   * @throws Failure if one of them cannot be stored; the others are stored.
   */
  record(writes: CallWrite[]): Promise<WriteOutcome[]>;
  /**
   * Makes and records independent parts. Returns the outcome of each, or why it was rejected. Other requests are served
   * between two parts.
   */
  recordEach<Item>(items: Item[], make: (item: Item) => Promise<CallWrite>): Promise<(WriteOutcome | Failure)[]>;
  /**
   * Records a finished call that the server itself made, in the background. `bytes` is about what `make` holds until
   * then.
   */
  recordLater(of: { projectId: ProjectId; userId: string }, make: () => NewStart & NewEnd, bytes: number): void;

  /**
   * Deletes calls with their descendants in the same traces, and returns how many there were. Unknown ids are marked as
   * deleted too: clients send calls in the background, and a late start must not bring a deleted call back.
   * @throws Failure for more than 1000 ids
   */
  delete(projectId: ProjectId, ids: string[]): Promise<number>;
};

export type CallSettings = { redacts: boolean };

export function openRecordCalls(
  { clickhouse, calls, laterCalls }: Pick<Deps, 'clickhouse' | 'calls' | 'laterCalls'>,
  { redacts }: CallSettings,
): RecordCalls {
  return {
    makeStart: (start, userId) => makeStart(start, { userId, redacts }),
    makeEnd,
    makeComplete: (call, userId) => makeComplete(call, { userId, redacts }),
    makeRename: renameToPart,
    record: (writes) => calls.write(writes),
    recordEach: (items, make) => recordEach(calls, items, make),
    recordLater({ projectId, userId }, make, bytes) {
      const makeWrite = () => {
        const call = make();
        return { projectId, id: call.id, part: completeToPart(call, { userId, redacts }) };
      };
      laterCalls.write(makeWrite, bytes);
    },
    async delete(projectId, given) {
      const ids = [...new Set(given)];
      if (ids.length > deletedMax) {
        throw tooLarge(`Cannot delete more than ${deletedMax} calls at once (found ${ids.length}).`);
      }
      const members = await findTraceMembers(clickhouse, projectId, ids);
      const found = withDescendants(ids, members);
      const part = { kind: 'delete' } as const;
      const marked = new Set([...ids.filter(isCallId), ...found]); // other strings cannot be ids of calls and need no mark
      await calls.write([...marked].map((id) => ({ projectId, id, part })));
      return found.length;
    },
  };
}

const deletedMax = 1000;

async function recordEach<Item>(
  calls: CallWriter,
  items: Item[],
  make: (item: Item) => Promise<CallWrite>,
): Promise<(WriteOutcome | Failure)[]> {
  const outcomes: (WriteOutcome | Failure)[] = new Array(items.length);
  const writes: CallWrite[] = [];
  const places: number[] = [];
  const turn = openTurn();
  for (const [place, item] of items.entries()) {
    if (turn.isOver()) await turn.next();
    try {
      writes.push(await make(item));
      places.push(place);
    } catch (error) {
      if (!isRefusal(error)) throw error;
      outcomes[place] = error;
    }
  }
  for (const [i, outcome] of (await calls.writeEach(writes)).entries()) outcomes[places[i]!] = outcome;
  return outcomes;
}
