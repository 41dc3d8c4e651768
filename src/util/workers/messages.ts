/**
 * The messages between a worker (a thread or a child process) and the process that started it. They are sent in lists.
 */
export type ToWorker =
  | { type: 'request'; id: number; name: string; body: unknown }
  /** The result is no longer wanted. */
  | { type: 'cancel'; id: number }
  /** Finish and exit. */
  | { type: 'close' };

export type FromWorker =
  /** The worker can take requests. */
  | { type: 'ready' }
  | { type: 'event'; id: number; event: unknown }
  | { type: 'result'; id: number; value: unknown }
  /** After a fatal error the worker exits; the requests that followed in the message were not begun. */
  | { type: 'error'; id: number; error: WireError; isFatal: boolean }
  /** An uncaught error. The worker exits. */
  | { type: 'crashed'; at: string };

/** The functions of a worker, by name. This type is all that the two sides share. */
export type Handlers = Record<string, (body: never, scope: Scope<never>) => unknown>;

/** One request, as its handler sees it. */
export type Scope<Event> = {
  /** Aborted when the result is no longer wanted, and when the worker closes. */
  readonly signal: AbortSignal;
  /** Sends part of the result ahead. */
  emit(event: Event): void;
};

/** A result whose buffers are transferred to the other thread instead of being copied. */
export class Transferring<Value> {
  readonly value: Value;
  readonly buffers: ArrayBuffer[];

  constructor(value: Value, buffers: ArrayBuffer[]) {
    this.value = value;
    this.buffers = buffers;
  }
}

export type BodyOf<Handler> = Handler extends (body: infer Body, scope: never) => unknown ? Body : never;
export type EventOf<Handler> = Handler extends (body: never, scope: Scope<infer Event>) => unknown ? Event : never;
export type ResultOf<Handler> = Handler extends (...args: never) => infer Result ? Received<Awaited<Result>> : never;
type Received<Result> = Result extends Transferring<infer Value> ? Value : Result;

/** An error without its class, which cannot be sent. */
export type WireError = { class: string; name: string; message: string; fields: object };

export type ErrorClass = abstract new (...args: never) => Error;

export function toWireError(thrown: unknown): WireError {
  if (!(thrown instanceof Error)) return { class: 'Error', name: 'Error', message: String(thrown), fields: {} };
  return { class: thrown.constructor.name, name: thrown.name, message: thrown.message, fields: { ...thrown } };
}

/** The error with its class restored, if that is one of `classes`. */
export function fromWireError(wire: WireError, classes: readonly ErrorClass[]): Error {
  const error = Object.assign(new Error(wire.message), wire.fields);
  const known = classes.find(({ name }) => name === wire.class);
  if (known) return Object.setPrototypeOf(error, known.prototype);
  return wire.name === error.name ? error : Object.assign(error, { name: wire.name });
}
