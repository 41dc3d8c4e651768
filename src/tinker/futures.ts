import { LRUCache } from 'lru-cache';
import { newId } from '../contract/ids.ts';
import { TrainingDiverged } from '../engine/training/types.ts';
import { busy, Failure, isRefusal } from '../util/failures.ts';

/** What a request came to: JSON, and protobuf for clients that read it. */
export type Result = { json(): unknown; protobuf: Uint8Array | null };

export type Outcome =
  | { kind: 'done'; result: Result }
  | { kind: 'failed'; error: string; category: 'user' | 'server' }
  | { kind: 'pending' }
  /** Unknown, or forgotten to make room for others. */
  | { kind: 'gone' };

type Limits = {
  /** How many requests may be under way, and the bytes of their bodies together. */
  pendingMax: number;
  pendingBytesMax: number;
  /** The bytes of results that are kept for clients to fetch. */
  resultBytesMax: number;
};

type Pending = { userId: string; bytes: number; ended: Promise<void>; canceled: AbortController };
type Kept = { userId: string; outcome: Outcome };

/** A result that is not fetched within this time is forgotten. */
const keptMsMax = 60 * 60 * 1000;

/** Requests whose results clients fetch later. Results are kept until there are too many, so that a client can repeat a fetch. */
export class Futures {
  readonly #limits: Limits;
  readonly #pending = new Map<string, Pending>();
  readonly #results: LRUCache<string, Kept>;
  readonly #onDefect: (error: unknown) => void;
  #pendingBytes = 0;

  constructor(limits: Limits, onDefect: (error: unknown) => void) {
    this.#limits = limits;
    this.#onDefect = onDefect;
    this.#results = new LRUCache({
      maxSize: limits.resultBytesMax,
      sizeCalculation: ({ outcome }) => sizeOf(outcome),
      ttl: keptMsMax,
    });
  }

  /** @param bytes what the work holds until its end @throws Failure if too many are under way */
  start(userId: string, bytes: number, work: (signal: AbortSignal) => Promise<Result>): string {
    const { pendingMax, pendingBytesMax } = this.#limits;
    const isFull = this.#pending.size >= pendingMax || this.#pendingBytes + bytes > pendingBytesMax;
    if (isFull && this.#pending.size > 0) throw busy('Too many requests are under way. Retrieve their results first.');
    const id = newId();
    const canceled = new AbortController();
    this.#pendingBytes += bytes;
    const ended = outcomeOf(work(canceled.signal), this.#onDefect).then((outcome) => {
      this.#pending.delete(id);
      this.#pendingBytes -= bytes;
      this.#results.set(id, { userId, outcome });
    });
    this.#pending.set(id, { userId, bytes, ended, canceled });
    return id;
  }

  /** Waits for the end of a request, and no longer than `waitMs`. */
  async retrieve(userId: string, id: string, waitMs: number, signal: AbortSignal): Promise<Outcome> {
    const pending = this.#pending.get(id);
    if (pending?.userId === userId) await within(waitMs, pending.ended, signal);
    const kept = this.#results.get(id);
    if (kept?.userId === userId) return kept.outcome;
    return { kind: this.#pending.get(id)?.userId === userId ? 'pending' : 'gone' };
  }

  /** Stops a request. Those that have ended do not change. */
  cancel(userId: string, id: string): void {
    const pending = this.#pending.get(id);
    if (pending?.userId === userId) pending.canceled.abort();
  }

  /** Resolves when no request is under way. */
  async ended(): Promise<void> {
    await Promise.all([...this.#pending.values()].map(({ ended }) => ended));
  }
}

async function outcomeOf(work: Promise<Result>, onDefect: (error: unknown) => void): Promise<Outcome> {
  try {
    return { kind: 'done', result: await work };
  } catch (error) {
    return failedOf(error, onDefect);
  }
}

function failedOf(error: unknown, onDefect: (error: unknown) => void): Outcome {
  if (isRefusal(error)) return { kind: 'failed', error: error.message, category: 'user' };
  if (error instanceof TrainingDiverged) return { kind: 'failed', error: error.message, category: 'user' };
  if (error instanceof Failure) return { kind: 'failed', error: error.message, category: 'server' };
  if (error instanceof Error && error.name === 'AbortError')
    return { kind: 'failed', error: 'The request was canceled.', category: 'user' };
  onDefect(error);
  return { kind: 'failed', error: 'The request failed. The reason is in the log of the server.', category: 'server' };
}

function sizeOf(outcome: Outcome): number {
  const overhead = 1024;
  return overhead + (outcome.kind === 'done' ? 2 * (outcome.result.protobuf?.length ?? 0) : 0);
}

function within(ms: number, ended: Promise<void>, signal: AbortSignal): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, ms);
  signal.addEventListener('abort', () => resolve(), { once: true });
  void ended.then(resolve);
  return promise.finally(() => clearTimeout(timer));
}
