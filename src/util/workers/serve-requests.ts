import { parentPort } from 'node:worker_threads';
import {
  type FromWorker,
  type Handlers,
  type Scope,
  type ToWorker,
  Transferring,
  toWireError,
  type WireError,
} from './messages.ts';
import { type EventJoining, Outbox, type Send } from './outbox.ts';

export type ServeOptions = {
  /**
   * `sequence`: one request after the other; the results of requests that arrived in one message are returned in one
   * message. `concurrent`: each one as it arrives.
   */
  order: 'sequence' | 'concurrent';
  joining?: EventJoining<never>;
  /**
   * Whether JSON says all of an event: no undefined, no bigint, no binary data, and no keys but heddle's own. A process sends messages of
   * such events as text, which costs half of what objects do.
   */
  isJson?(event: never): boolean;
  /** Called after each message of requests, if they are performed in sequence, once their results are sent. */
  afterWork?(): void;
  /** Called before the worker exits normally. */
  onClose?(): Promise<void> | void;
};

/** Thrown by a handler if the worker must not be used any more. */
export class FatalError extends Error {
  override name = 'FatalError';
}

/**
 * Runs inside a worker, thread or child process: answers requests with these functions. A child process exits when its
 * parent is gone. A worker must not import anything that opens the stores: see `decisions/0002-embedded-engines.md`.
 */
export function serveRequests(handlers: Handlers, { order, joining, isJson, afterWork, onClose }: ServeOptions): void {
  const outbox = new Outbox(sender(isJson as (event: unknown) => boolean), joining);
  const scopes = new Map<number, RequestScope>();
  const reply = (id: number) => ({
    result(value: unknown) {
      if (value instanceof Transferring) outbox.add({ type: 'result', id, value: value.value }, value.buffers);
      else outbox.add({ type: 'result', id, value });
    },
    error(error: WireError, isFatal: boolean) {
      outbox.add({ type: 'error', id, error, isFatal });
    },
  });

  /** @returns false after a fatal error */
  async function perform({ id, name, body }: ToWorker & { type: 'request' }): Promise<boolean> {
    const scope = scopes.get(id);
    if (!scope) return true; // cancelled before it began
    const handler = handlers[name];
    if (!handler) throw new Error('unknown request');
    try {
      reply(id).result(await handler(body as never, scope as Scope<never>));
      return true;
    } catch (error) {
      const isFatal = error instanceof FatalError;
      reply(id).error(toWireError(error), isFatal);
      return !isFatal;
    } finally {
      scopes.delete(id);
    }
  }

  async function performAll(requests: (ToWorker & { type: 'request' })[]): Promise<void> {
    outbox.hold();
    for (const request of requests) if (!(await perform(request))) return outbox.release(() => process.exit());
    outbox.release();
    afterWork?.();
  }

  async function close(): Promise<void> {
    for (const scope of scopes.values()) scope.abort();
    await onClose?.();
    process.exit(); // in a thread, this ends the thread
  }

  let last: Promise<unknown> = Promise.resolve();
  listen((messages) => {
    const requests: (ToWorker & { type: 'request' })[] = [];
    for (const message of messages) {
      if (message.type === 'close') {
        void (order === 'sequence' ? last.then(close) : close());
      } else if (message.type === 'cancel') {
        scopes.get(message.id)?.abort();
        if (order === 'sequence') scopes.delete(message.id);
      } else {
        scopes.set(message.id, new RequestScope((event) => outbox.add({ type: 'event', id: message.id, event })));
        requests.push(message);
      }
    }
    if (order === 'concurrent') for (const request of requests) void perform(request);
    else if (requests.length > 0) last = last.then(() => performAll(requests));
  });
  outbox.add({ type: 'ready' });
}

/** Created on demand, because most requests need no signal. */
class RequestScope implements Scope<unknown> {
  readonly emit: (event: unknown) => void;
  #controller: AbortController | null = null;
  #isAborted = false;

  constructor(emit: (event: unknown) => void) {
    this.emit = emit;
  }

  get signal(): AbortSignal {
    this.#controller ??= new AbortController();
    if (this.#isAborted) this.#controller.abort();
    return this.#controller.signal;
  }

  abort(): void {
    this.#isAborted = true;
    this.#controller?.abort();
  }
}

function sender(isJson: (event: unknown) => boolean = () => false): Send {
  if (parentPort === null) {
    const isText = (message: FromWorker) => message.type === 'event' && isJson(message.event);
    return (messages, _transfer, whenWritten) =>
      void process.send!(messages.every(isText) ? JSON.stringify(messages) : messages, whenWritten);
  }
  const port = parentPort;
  return (messages, transfer, whenWritten) => {
    port.postMessage(messages, transfer);
    whenWritten();
  };
}

function listen(take: (messages: ToWorker[]) => void): void {
  if (parentPort !== null) {
    parentPort.on('message', take);
    return;
  }
  process.on('message', take);
  process.on('disconnect', () => process.exit());
  process.on('uncaughtException', (error) => {
    const crash: FromWorker = { type: 'crashed', at: placeOf(error) };
    process.send!([crash], () => process.exit(1));
  });
}

/** Error messages may quote a request. Only the stack locations may be logged. */
function placeOf(error: Error): string {
  const at = /^ +at .*/m.exec(error.stack ?? '')?.[0].trim();
  return [error.name, at].filter(Boolean).join(' ');
}
