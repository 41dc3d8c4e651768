import { setTimeout } from 'node:timers/promises';
import type { CallKey } from '../../../../domain/calls/call-row.ts';
import { type Failure, isRefusal } from '../../../../util/failures.ts';
import type { CallWrite, WriteOutcome } from './call-write.ts';
import { keyOf, type Share, sizeOfWrites, takeBatch, type WriteRequest, type WriteResult } from './take-batch.ts';

/**
 * Commits writes. `hold` reserves another call for this commit until it ends; it returns false if another commit holds
 * that call.
 */
export type Commit = (writes: CallWrite[], hold: Hold) => Promise<WriteResult[]>;
export type Hold = (call: CallKey) => boolean;

export type Committer = {
  commit: Commit;
  /** Whether calls wait to be changed that another commit holds. */
  hasMore(): boolean;
};

export type CommitQueues = {
  /**
   * Resolves when all of the writes are committed, with the outcome of each. Without writes it makes an empty commit, for
   * what the committer itself has left to do.
   */
  submit(writes: CallWrite[]): Promise<(WriteOutcome | Failure)[]>;
  drain(): Promise<void>;
};

/**
 * Requests that arrive during a commit share the next one (group commit), so throughput rises with load while an idle
 * server answers immediately. Large requests wait in a queue of their own and are divided into several commits, which run
 * beside those of small ones: a small request never waits for a large one, unless both write the same call.
 * @param onEnd called after each commit that had writes, once its calls are no longer held
 * @param processes how many write to the same store
 */
export function openCommitQueues(commit: Commit, { onEnd, processes }: Options = alone): CommitQueues {
  const [small, large] = [openQueue(), openQueue()];

  function begin(queue: Queue): void {
    if (!queue.isWorking) queue.work = work(queue);
  }

  async function work(queue: Queue): Promise<void> {
    queue.isWorking = true;
    const other = queue === small ? large : small;
    const isHeld = (call: CallKey) => other.batch !== null && heldBy(other).has(keyOf(call));
    for (;;) {
      const batch = takeBatch(queue.waiting, isHeld);
      if (batch.length === 0) break;
      const startedAt = performance.now();
      queue.batch = batch;
      const isComplete = await commitBatch(queue, (call) => {
        if (isHeld(call)) return false;
        heldBy(queue).add(keyOf(call));
        return true;
      });
      [queue.batch, queue.held] = [null, null];
      if (other.waiting.size > 0) begin(other); // it may be waiting for these calls
      const count = batch.reduce((sum, { writes }) => sum + writes.length, 0);
      if (count > 0) onEnd();
      // Many small inserts, of all processes, and their merges cost more than a few larger ones. A single writer never waits.
      const enough = enoughFor(processes(), batch.length + queue.waiting.size);
      const isSmall = count < enough.writes && queue.waiting.size < enough.requests;
      if (batch.length > 1 && isComplete && isSmall) {
        await pause(queue, Math.min(performance.now() - startedAt, enough.pauseMsMax), enough.endsPause);
      }
    }
    queue.isWorking = false;
  }

  /** @returns false if some of the requests have writes left */
  async function commitBatch({ waiting, batch }: Queue, hold: Hold): Promise<boolean> {
    const shares = batch!;
    try {
      const results = await commit(
        shares.flatMap(({ writes }) => writes),
        hold,
      );
      let first = 0;
      for (const { request, writes } of shares) {
        for (const result of results.slice(first, first + writes.length)) request.results.push(result);
        first += writes.length;
      }
    } catch (error) {
      for (const { request } of shares) {
        waiting.delete(request);
        request.reject(error);
      }
      return true;
    }
    const complete = shares.filter(({ request }) => request.results.length === request.writes.length);
    for (const { request } of complete) {
      waiting.delete(request);
      settle(request);
    }
    return complete.length === shares.length;
  }

  return {
    submit(writes) {
      return new Promise((resolve, reject) => {
        const queue = sizeOfWrites(writes) > smallBytesMax ? large : small;
        queue.waiting.add({ writes, results: [], resolve, reject });
        queue.onWaiting();
        begin(queue);
      });
    },
    async drain() {
      while (small.isWorking || large.isWorking) await Promise.all([small.work, large.work]);
    },
  };
}

type Options = { onEnd(): void; processes(): number };
const alone: Options = { onEnd: () => {}, processes: () => 1 };

type Queue = {
  waiting: Set<WriteRequest>;
  isWorking: boolean;
  work: Promise<void>;
  /** Called with each request. */
  onWaiting(): void;
  /** What is being committed, and the calls that no other commit may change meanwhile. */
  batch: Share[] | null;
  held: Set<string> | null;
};

const nothing = () => {};

function openQueue(): Queue {
  return { waiting: new Set(), isWorking: false, work: Promise.resolve(), onWaiting: nothing, batch: null, held: null };
}

/** @param waitingMax with how many waiting requests it ends */
async function pause(queue: Queue, ms: number, waitingMax: number): Promise<void> {
  const ended = new AbortController();
  queue.onWaiting = () => queue.waiting.size >= waitingMax && ended.abort();
  await setTimeout(ms, null, { signal: ended.signal }).catch(nothing);
  queue.onWaiting = nothing;
}

/** The calls that a running commit holds; computed only when the other queue needs them. */
function heldBy(queue: Queue): Set<string> {
  queue.held ??= new Set(queue.batch!.flatMap(({ writes }) => writes.map(keyOf)));
  return queue.held;
}

function settle({ results, resolve, reject }: WriteRequest): void {
  const outcomes = results.filter((result) => !(result instanceof Error) || isRefusal(result));
  if (outcomes.length === results.length) resolve(outcomes);
  else reject(results.find((result) => result instanceof Error && !isRefusal(result)));
}

/** Requests of more bytes are large. */
const smallBytesMax = 256 * 1024;

/**
 * The longest pause between two commits while several requests write, and what makes it unnecessary. Several processes share
 * the store, and each of their commits also looks for parts of the others: a process waits for all requests that write to it,
 * and no longer. A process that is alone takes a few percent more if its pauses do not end early.
 * @param writers how many requests were answered by the last commit, or came during it
 */
export function enoughFor(processes: number, writers: number) {
  const never = Number.POSITIVE_INFINITY;
  if (processes === 1) return { writes: 64, requests: 32, endsPause: never, pauseMsMax: 100 };
  const sharers = Math.min(processes, 10);
  const requests = Math.min(writers, 32 * sharers);
  return { writes: never, requests, endsPause: requests, pauseMsMax: 100 * sharers };
}
