import { limitedProcess, type ProcessLimits } from './limited-process.ts';
import type { WorkerEnd } from './start-worker.ts';
import { WorkerClient, WorkerLost } from './worker-client.ts';

/** The process ended before it returned a result: it took too long, crashed, or was closed. */
export class IsolationLost extends Error {
  override name = 'IsolationLost';
  readonly reason: 'time' | 'crash' | 'closed';
  /**
   * This request ended the process. False if the process was working on other requests too, or had not begun this one.
   */
  readonly isCulprit: boolean;

  constructor(reason: IsolationLost['reason'], isCulprit: boolean, detail = '') {
    const words = { time: 'took too long', crash: `has crashed${detail && ` (${detail})`}`, closed: 'was closed' };
    super(`The isolated process ${words[reason]}.`);
    this.reason = reason;
    this.isCulprit = isCulprit;
  }
}

type CallOptions = {
  /** Working time, without time in the queue. The process is killed after it. */
  timeoutMs: number;
  /** Sent separately from other requests, so that it is known to be the cause if the process ends. */
  alone?: boolean;
  /** Cancels the request; kills the process if the request has begun. */
  signal?: AbortSignal;
};

type Call<Body, Result> = {
  body: Body;
  options: CallOptions;
  resolve: (result: Result) => void;
  reject: (error: Error) => void;
};

type Served<Body, Result> = { call: (body: Body) => Result };

const startTimeoutMs = 30_000;
const batchMax = 256;

/**
 * Code that may hang, crash or run out of memory, in its own process. The process works on one message at a time:
 * requests that arrive meanwhile wait and are sent together, except those that are sent separately.
 */
export class IsolatedProcess<Body, Result> {
  readonly #worker: WorkerClient<Served<Body, Result>>;
  readonly #idleMs: number;
  #together: Call<Body, Result>[] = [];
  #alone: Call<Body, Result>[] = [];
  #inFlight: Call<Body, Result>[] = [];
  #timer: NodeJS.Timeout | undefined;
  #idleTimer: NodeJS.Timeout | undefined;
  #isReady = false;
  #isAlive = true;
  #wasAlone = false;

  /** `idleMs`: the process ends after this time without requests. */
  constructor(file: URL, limits: ProcessLimits, { idleMs }: { idleMs: number }) {
    this.#idleMs = idleMs;
    this.#worker = new WorkerClient(limitedProcess(file, limits), {
      onEnd: (end, isExpected) => {
        if (!isExpected) this.#lose(...reasonOf(end));
      },
    });
    this.#timer = setTimeout(() => this.#kill('crash', `not started after ${startTimeoutMs} ms`), startTimeoutMs);
    this.#timer.unref();
    this.#worker.ready.then(
      () => this.#begin(),
      () => {}, // its end has been reported
    );
  }

  /** False once it has ended; every later call fails. */
  get isAlive(): boolean {
    return this.#isAlive;
  }

  get pid(): number | undefined {
    return this.#worker.pid;
  }

  /** @throws IsolationLost, or the error of the request */
  call(body: Body, options: CallOptions): Promise<Result> {
    if (!this.#isAlive) return Promise.reject(new IsolationLost('closed', false));
    options.signal?.throwIfAborted();
    return new Promise<Result>((resolve, reject) => {
      const call = { body, options, resolve, reject };
      (options.alone ? this.#alone : this.#together).push(call);
      options.signal?.addEventListener('abort', () => this.#takeBack(call), { once: true });
      // Requests from the same turn of the event loop are sent together.
      if (this.#inFlight.length === 0) queueMicrotask(() => this.#send());
    });
  }

  /** Resolves once the process has ended. */
  async close(): Promise<void> {
    await this.#kill('closed');
  }

  #begin(): void {
    clearTimeout(this.#timer);
    this.#isReady = true;
    this.#send();
  }

  #send(): void {
    if (!this.#isReady || !this.#isAlive || this.#inFlight.length > 0) return;
    const calls = this.#takeNext();
    if (calls.length > 0) void this.#transmit(calls);
    else this.#rest();
  }

  async #transmit(calls: Call<Body, Result>[]): Promise<void> {
    this.#inFlight = calls;
    clearTimeout(this.#idleTimer);
    const timeoutMs = Math.max(...calls.map(({ options }) => options.timeoutMs));
    this.#timer = setTimeout(() => this.#kill('time'), timeoutMs);
    const bodies = calls.map(({ body }) => body);
    const results = await Promise.allSettled(this.#worker.requestTogether('call', bodies as never[]));
    clearTimeout(this.#timer);
    this.#inFlight = [];
    for (const [i, result] of results.entries()) {
      const { resolve, reject } = calls[i]!;
      if (result.status === 'fulfilled') resolve(result.value as Result);
      // After a fatal error, the requests that followed were not begun.
      else reject(result.reason instanceof WorkerLost ? new IsolationLost('crash', false) : result.reason);
    }
    if (this.#worker.isAlive) this.#send();
    else this.#lose('crash');
  }

  /** Alternates, so that neither kind waits for all requests of the other. */
  #takeNext(): Call<Body, Result>[] {
    const isAlone = this.#alone.length > 0 && (this.#together.length === 0 || !this.#wasAlone);
    this.#wasAlone = isAlone;
    return isAlone ? [this.#alone.shift()!] : this.#together.splice(0, batchMax);
  }

  #rest(): void {
    clearTimeout(this.#idleTimer);
    this.#idleTimer = setTimeout(() => this.#kill('closed'), this.#idleMs);
    this.#idleTimer.unref();
  }

  #takeBack(call: Call<Body, Result>): void {
    const isWaiting = [this.#together, this.#alone].some((queue) => {
      const at = queue.indexOf(call);
      if (at !== -1) queue.splice(at, 1);
      return at !== -1;
    });
    if (!isWaiting && !this.#inFlight.includes(call)) return;
    call.reject(call.options.signal!.reason as Error);
    if (!isWaiting) void this.#kill('closed');
  }

  #kill(reason: IsolationLost['reason'], detail = ''): Promise<void> {
    this.#lose(reason, detail);
    return this.#worker.kill();
  }

  #lose(reason: IsolationLost['reason'], detail = ''): void {
    if (!this.#isAlive) return;
    this.#isAlive = false;
    clearTimeout(this.#timer);
    clearTimeout(this.#idleTimer);
    const isCulprit = reason !== 'closed' && this.#inFlight.length === 1;
    for (const call of this.#inFlight) call.reject(new IsolationLost(reason, isCulprit, detail));
    for (const call of [...this.#together, ...this.#alone]) call.reject(new IsolationLost(reason, false, detail));
    this.#together = [];
    this.#alone = [];
  }
}

/** The last request is not to blame for a process that used up its CPU time over many requests. */
function reasonOf({ how, signal, cause }: WorkerEnd): [reason: IsolationLost['reason'], detail?: string] {
  if (signal === 'SIGXCPU') return ['closed'];
  return ['crash', signal ?? cause?.message ?? how];
}
