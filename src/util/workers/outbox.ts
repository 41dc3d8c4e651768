import type { FromWorker } from './messages.ts';

/** Sends a message. `whenWritten` is called once the next one may follow. */
export type Send = (messages: FromWorker[], transfer: ArrayBuffer[], whenWritten: () => void) => void;

/** How waiting events of one request are merged. */
export type EventJoining<Event> = {
  /** Events with the same key are merged; null: never. */
  keyOf(event: Event): string | number | null;
  /** Merges a later event into a waiting one. */
  join(waiting: Event, later: Event): void;
};

/**
 * The messages of a worker, in order. One message is written at a time. Later ones wait, with their events merged, so a
 * slow reader needs no more memory than the results themselves.
 */
export class Outbox {
  readonly #send: Send;
  readonly #joining: EventJoining<unknown> | undefined;
  #waiting: FromWorker[] = [];
  #transfer: ArrayBuffer[] = [];
  #joinable = new Map<string, unknown>();
  #isWriting = false;
  #isFlushing = false;
  #isHeld = false;
  #whenEmpty: (() => void) | undefined;

  constructor(send: Send, joining?: EventJoining<never>) {
    this.#send = send;
    this.#joining = joining as EventJoining<unknown> | undefined;
  }

  /** Everything that is added in one turn of the event loop is sent as one message. */
  add(message: FromWorker, transfer: ArrayBuffer[] = []): void {
    if (message.type === 'event' && this.#isJoined(message.id, message.event)) return;
    this.#waiting.push(message);
    if (transfer.length > 0) this.#transfer.push(...transfer);
    if (this.#isFlushing || this.#isWriting || this.#isHeld) return;
    this.#isFlushing = true;
    queueMicrotask(() => this.flush());
  }

  /** Holds everything until `release`. */
  hold(): void {
    this.#isHeld = true;
  }

  /** Sends what was held. `whenWritten` is called once all of it is written. */
  release(whenWritten?: () => void): void {
    this.#isHeld = false;
    this.#whenEmpty = whenWritten;
    this.flush();
  }

  flush(): void {
    this.#isFlushing = false;
    if (this.#isHeld || this.#isWriting) return;
    if (this.#waiting.length > 0) this.#startWriting();
    else this.#whenEmpty?.();
  }

  #startWriting(): void {
    this.#isWriting = true;
    const [waiting, transfer] = [this.#waiting, this.#transfer];
    this.#waiting = [];
    this.#transfer = [];
    this.#joinable = new Map();
    this.#send(waiting, transfer, () => {
      this.#isWriting = false;
      this.flush();
    });
  }

  #isJoined(id: number, event: unknown): boolean {
    const key = this.#joining?.keyOf(event) ?? null;
    if (key === null) return false;
    const place = `${id}:${key}`;
    const waiting = this.#joinable.get(place);
    if (waiting === undefined) this.#joinable.set(place, event);
    else this.#joining!.join(waiting, event);
    return waiting !== undefined;
  }
}
