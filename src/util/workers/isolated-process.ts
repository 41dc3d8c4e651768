import type { ChildProcess } from 'node:child_process';
import { type Reply, type Request, ready } from './serve.ts';
import { type ProcessLimits, startProcess } from './start-process.ts';

/** The process ended before it answered: it was stopped for its time, crashed, or was closed. */
export class IsolationLost extends Error {
  override name = 'IsolationLost';
  readonly reason: 'time' | 'crash' | 'closed';
  /** This very request ended it. False for one that was with others in the process, or had not begun. */
  readonly isCulprit: boolean;

  constructor(reason: IsolationLost['reason'], isCulprit: boolean, detail = '') {
    const words = { time: 'took too long', crash: `has crashed${detail && ` (${detail})`}`, closed: 'was closed' };
    super(`The isolated process ${words[reason]}.`);
    this.reason = reason;
    this.isCulprit = isCulprit;
  }
}

type CallOptions = {
  /** Of working time, waiting not counted. Past it the process is killed. */
  timeoutMs: number;
  /** Sent apart from other requests, so that it is known to be the culprit if the process ends. */
  alone?: boolean;
  /** Takes the request back; the process is killed if it has begun. */
  signal?: AbortSignal;
};

type Call = {
  request: Request;
  options: CallOptions;
  resolve: (result: unknown) => void;
  reject: (error: Error) => void;
};

const startTimeoutMs = 30_000;
const stopTimeoutMs = 5_000;
const batchMax = 256;

/**
 * Code that may hang, crash or exhaust its memory, in a process of its own. It works on one message at a time: requests
 * that come meanwhile wait here and are sent together, those to be sent alone in between.
 */
export class IsolatedProcess<Body, Result> {
  readonly #child: ChildProcess;
  readonly #exited: Promise<void>;
  #together: Call[] = [];
  readonly #alone: Call[] = [];
  #inFlight: Call[] = [];
  #timer: NodeJS.Timeout | null = null;
  #idleTimer: NodeJS.Timeout | null = null;
  #isReady = false;
  #isAlive = true;
  #wasAlone = false;
  #lastId = 0;
  readonly #idleMs: number;

  /** `idleMs`: ends by itself after such a time without requests. */
  constructor(file: URL, limits: ProcessLimits, { idleMs }: { idleMs: number }) {
    this.#idleMs = idleMs;
    this.#child = startProcess(file, limits);
    this.#exited = new Promise((resolve) => this.#child.once('exit', () => resolve()).once('error', () => resolve()));
    this.#child.on('message', (message) => this.#receive(message as typeof ready | Reply[]));
    this.#child.on('error', (error) => this.#lose('crash', error.message));
    this.#child.on('exit', (code, signal) => {
      // A process that has used up its processor time over many requests is not the fault of the last.
      if (signal === 'SIGXCPU') this.#lose('closed');
      else this.#lose('crash', signal ?? `exit code ${code}`);
    });
    this.#timer = setTimeout(() => this.#kill('crash', `not started after ${startTimeoutMs} ms`), startTimeoutMs);
    this.#timer.unref();
  }

  /** False once it has ended; every later call fails. */
  get isAlive(): boolean {
    return this.#isAlive;
  }

  get pid(): number | undefined {
    return this.#child.pid;
  }

  /** @throws IsolationLost, or the error that the request caused inside */
  call(body: Body, options: CallOptions): Promise<Result> {
    if (!this.#isAlive) return Promise.reject(new IsolationLost('closed', false));
    options.signal?.throwIfAborted();
    return new Promise<unknown>((resolve, reject) => {
      const call: Call = { request: { id: ++this.#lastId, body }, options, resolve, reject };
      (options.alone ? this.#alone : this.#together).push(call);
      // While something is asked, the channel must keep the program alive to bring the answer.
      this.#child.channel?.ref();
      options.signal?.addEventListener('abort', () => this.#takeBack(call), { once: true });
      // Requests of the same turn of the event loop go together.
      if (this.#inFlight.length === 0) queueMicrotask(() => this.#send());
    }) as Promise<Result>;
  }

  /** Resolves once the process is gone. */
  async close(): Promise<void> {
    this.#kill('closed');
    const { promise, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, stopTimeoutMs);
    await Promise.race([this.#exited, promise]);
    clearTimeout(timer);
  }

  #send(): void {
    if (!this.#isReady || !this.#isAlive || this.#inFlight.length > 0) return;
    const calls = this.#takeNext();
    if (calls.length > 0) this.#transmit(calls);
    else this.#rest();
  }

  #transmit(calls: Call[]): void {
    this.#inFlight = calls;
    if (this.#idleTimer) clearTimeout(this.#idleTimer);
    const timeoutMs = Math.max(...calls.map(({ options }) => options.timeoutMs));
    this.#timer = setTimeout(() => this.#kill('time'), timeoutMs);
    this.#child.send(
      calls.map(({ request }) => request),
      (error) => error && this.#kill('crash', error.message),
    );
  }

  /** Alternates, so that neither kind waits for all of the other. */
  #takeNext(): Call[] {
    const isAlone = this.#alone.length > 0 && (this.#together.length === 0 || !this.#wasAlone);
    this.#wasAlone = isAlone;
    return isAlone ? [this.#alone.shift()!] : this.#together.splice(0, batchMax);
  }

  #rest(): void {
    this.#child.channel?.unref();
    if (this.#idleTimer) clearTimeout(this.#idleTimer);
    this.#idleTimer = setTimeout(() => this.#kill('closed'), this.#idleMs);
    this.#idleTimer.unref();
  }

  #receive(message: typeof ready | Reply[]): void {
    if (!this.#isAlive) return;
    if (this.#timer) clearTimeout(this.#timer);
    if (message === ready) {
      this.#isReady = true;
      this.#send();
      return;
    }
    const calls = new Map(this.#inFlight.map((call) => [call.request.id, call]));
    this.#inFlight = [];
    for (const reply of message) {
      const call = calls.get(reply.id);
      calls.delete(reply.id);
      if (reply.kind === 'result') call?.resolve(reply.result);
      else call?.reject(new Error(reply.message));
    }
    if (message.at(-1)?.kind !== 'fatal') {
      this.#send();
      return;
    }
    for (const call of calls.values()) call.reject(new IsolationLost('crash', false));
    this.#kill('crash');
  }

  #takeBack(call: Call): void {
    const isWaiting = [this.#together, this.#alone].some((queue) => {
      const at = queue.indexOf(call);
      if (at !== -1) queue.splice(at, 1);
      return at !== -1;
    });
    if (!isWaiting && !this.#inFlight.includes(call)) return;
    call.reject(call.options.signal!.reason as Error);
    if (!isWaiting) this.#kill('closed');
  }

  #kill(reason: IsolationLost['reason'], detail = ''): void {
    this.#lose(reason, detail);
    this.#child.kill('SIGKILL');
  }

  #lose(reason: IsolationLost['reason'], detail = ''): void {
    if (!this.#isAlive) return;
    this.#isAlive = false;
    if (this.#timer) clearTimeout(this.#timer);
    if (this.#idleTimer) clearTimeout(this.#idleTimer);
    this.#child.channel?.unref();
    const isCulprit = reason !== 'closed' && this.#inFlight.length === 1;
    for (const call of this.#inFlight) call.reject(new IsolationLost(reason, isCulprit, detail));
    for (const call of [...this.#together, ...this.#alone]) call.reject(new IsolationLost(reason, false, detail));
    this.#inFlight = [];
    this.#together = [];
    this.#alone.length = 0;
  }
}
