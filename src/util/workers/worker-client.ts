import {
  type BodyOf,
  type ErrorClass,
  type EventOf,
  type FromWorker,
  fromWireError,
  type Handlers,
  type ResultOf,
} from './messages.ts';
import type { StartedWorker, StartWorker, Transferable, WorkerEnd } from './start-worker.ts';

export type RequestOptions<Event = unknown> = {
  /** Cancels the request. */
  signal?: AbortSignal | undefined;
  /** Buffers and ports that are transferred to a thread instead of being copied. */
  transfer?: Transferable[];
  onEvent?(event: Event): void;
};

export type WorkerOptions = {
  /** The error classes that the worker throws; others arrive as `Error` with their name. */
  errors?: readonly ErrorClass[];
  /** Called once when the worker has ended. `isExpected`: this side closed or killed it. */
  onEnd?(end: WorkerEnd, isExpected: boolean): void;
};

/** The worker ended before it returned a result. */
export class WorkerLost extends Error {
  override name = 'WorkerLost';
  /** Null if this side closed or killed it. */
  readonly end: WorkerEnd | null;

  constructor(end: WorkerEnd | null) {
    super(end ? `The worker ended ${end.how}.` : 'The worker was closed.', { cause: end?.cause });
    this.end = end;
  }
}

type Pending = {
  resolve(value: unknown): void;
  reject(error: Error): void;
  onEvent: ((event: never) => void) | undefined;
  stopListening(): void;
};

/**
 * A thread or child process that answers typed requests. While requests are pending it keeps this process alive. Once it
 * has ended, every pending and later request fails with `WorkerLost`.
 */
export class WorkerClient<Served extends Handlers> {
  /** Resolves when the worker can take requests. */
  readonly ready: Promise<void>;
  readonly #worker: StartedWorker;
  readonly #errors: readonly ErrorClass[];
  readonly #pending = new Map<number, Pending>();
  readonly #ready = Promise.withResolvers<void>();
  readonly #ended = Promise.withResolvers<void>();
  #isReady = false;
  #isClosing = false;
  #end: WorkerEnd | null = null;
  #lastId = 0;

  constructor(start: StartWorker, { errors = [], onEnd }: WorkerOptions = {}) {
    this.#errors = errors;
    this.ready = this.#ready.promise;
    this.ready.catch(() => {}); // reported to the pending requests
    this.#worker = start({
      onMessage: (messages) => {
        for (const message of messages) this.#take(message);
      },
      onEnd: (end) => {
        this.#end ??= end;
        this.#failAll(new WorkerLost(this.#isClosing ? null : end));
        this.#ended.resolve();
        onEnd?.(end, this.#isClosing);
      },
    });
  }

  /** False once it has ended or is closing. */
  get isAlive(): boolean {
    return this.#end === null && !this.#isClosing;
  }

  get pid(): number | undefined {
    return this.#worker.pid;
  }

  /** @throws WorkerLost, the reason of the signal, or what the worker throws */
  request<Name extends keyof Served & string>(
    name: Name,
    body: BodyOf<Served[Name]>,
    options: RequestOptions<EventOf<Served[Name]>> = {},
  ): Promise<ResultOf<Served[Name]>> {
    return this.requestTogether(name, [body], options)[0]!;
  }

  /** Requests that are sent in one message. */
  requestTogether<Name extends keyof Served & string>(
    name: Name,
    bodies: BodyOf<Served[Name]>[],
    { signal, transfer = [], onEvent }: RequestOptions<EventOf<Served[Name]>> = {},
  ): Promise<ResultOf<Served[Name]>>[] {
    if (!this.isAlive) return bodies.map(() => Promise.reject(new WorkerLost(this.#end)));
    if (signal?.aborted) return bodies.map(() => Promise.reject(signal.reason));
    const requests = bodies.map((body) => ({ type: 'request' as const, id: ++this.#lastId, name, body }));
    if (this.#pending.size === 0) this.#worker.keepAlive(true);
    const results = requests.map(({ id }) => this.#await(id, signal, onEvent));
    this.#worker.send(requests, transfer);
    return results as Promise<ResultOf<Served[Name]>>[];
  }

  /** Lets the worker finish and exit; kills it after `msMax`. Resolves when it has ended. */
  async close(msMax: number): Promise<void> {
    if (this.#end !== null) return;
    this.#worker.keepAlive(true);
    if (!this.#isClosing) this.#worker.send([{ type: 'close' }], []);
    this.#isClosing = true;
    const timer = setTimeout(() => this.#worker.kill(), msMax);
    await this.#ended.promise;
    clearTimeout(timer);
  }

  /** Ends the worker immediately; pending requests fail. Resolves when it has ended. */
  async kill(): Promise<void> {
    if (this.#end !== null) return;
    this.#isClosing = true;
    this.#worker.kill();
    this.#failAll(new WorkerLost(null));
    await this.#ended.promise;
  }

  #await(id: number, signal: AbortSignal | undefined, onEvent: Pending['onEvent']): Promise<unknown> {
    const { promise, resolve, reject } = Promise.withResolvers<unknown>();
    const cancel = () => {
      this.#settle(id)?.reject(signal!.reason);
      this.#worker.send([{ type: 'cancel', id }], []);
    };
    signal?.addEventListener('abort', cancel, { once: true });
    const stopListening = () => signal?.removeEventListener('abort', cancel);
    this.#pending.set(id, { resolve, reject, onEvent, stopListening });
    return promise;
  }

  #take(message: FromWorker): void {
    switch (message.type) {
      case 'ready':
        this.#isReady = true;
        this.#ready.resolve();
        this.#rest();
        return;
      case 'event':
        this.#pending.get(message.id)?.onEvent?.(message.event as never);
        return;
      case 'result':
        this.#settle(message.id)?.resolve(message.value);
        return;
      case 'error':
        this.#settle(message.id)?.reject(fromWireError(message.error, this.#errors));
        if (message.isFatal) void this.kill();
        return;
      case 'crashed':
        return; // reported with the end of the worker
      default:
        message satisfies never;
    }
  }

  #settle(id: number): Pending | undefined {
    const pending = this.#pending.get(id);
    if (!pending) return undefined;
    this.#pending.delete(id);
    pending.stopListening();
    this.#rest();
    return pending;
  }

  /** A worker that is starting, busy or closing keeps this process alive. */
  #rest(): void {
    if (this.#isReady && this.#pending.size === 0 && !this.#isClosing) this.#worker.keepAlive(false);
  }

  #failAll(error: WorkerLost): void {
    for (const id of [...this.#pending.keys()]) this.#settle(id)?.reject(error);
    this.#ready.reject(error);
  }
}
