import { longestTimerMs } from '../util/longest-timer.ts';

/** One timer, for the earliest of the times asked for. */
export class Waker {
  readonly #wake: () => void;
  #timer: NodeJS.Timeout | null = null;
  #at = Number.POSITIVE_INFINITY;
  #isClosed = false;

  constructor(wake: () => void) {
    this.#wake = wake;
  }

  wakeIn(ms: number): void {
    const at = performance.now() + ms;
    if (this.#isClosed || at >= this.#at) return;
    if (this.#timer) clearTimeout(this.#timer);
    this.#at = at;
    this.#timer = setTimeout(
      () => {
        this.#timer = null;
        this.#at = Number.POSITIVE_INFINITY;
        this.#wake();
      },
      Math.min(ms, longestTimerMs),
    );
    this.#timer.unref();
  }

  close(): void {
    this.#isClosed = true;
    if (this.#timer) clearTimeout(this.#timer);
  }
}
