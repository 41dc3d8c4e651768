import type { ChoiceEvent, GenerationEvent } from '../types.ts';
import { joinChoices } from './event-queue.ts';
import type { Told } from './protocol.ts';

type Send = (told: Told[], whenWritten: () => void) => void;

/**
 * What waits to be written to the other process, in order. One message is under way at a time; what comes meanwhile joins
 * what waits, so that a reader who falls behind costs no more memory than the answers themselves.
 */
export class Outbox {
  readonly #send: Send;
  #waiting: Told[] = [];
  #choices = new Map<string, ChoiceEvent>();
  #isWriting = false;

  constructor(send: Send) {
    this.#send = send;
  }

  /** Adds an event of a generation, which `flush` sends. */
  add(id: number, event: GenerationEvent): void {
    if (event.kind === 'choice') {
      const key = `${id}:${event.index}`;
      const waiting = this.#choices.get(key);
      if (waiting) {
        joinChoices(waiting, event);
        return;
      }
      this.#choices.set(key, event);
    }
    this.#waiting.push({ type: 'event', id, event });
  }

  tell(told: Told): void {
    this.#waiting.push(told);
    this.flush();
  }

  flush(): void {
    if (this.#isWriting || this.#waiting.length === 0) return;
    this.#isWriting = true;
    const told = this.#waiting;
    this.#waiting = [];
    this.#choices = new Map();
    this.#send(told, () => {
      this.#isWriting = false;
      this.flush();
    });
  }
}
