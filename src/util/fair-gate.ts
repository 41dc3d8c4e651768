import { FairQueue } from './fair-queue.ts';

/** Limits how many pieces of work run at the same time. The others wait, and their owners take turns. */
export class FairGate {
  readonly #waiting = new FairQueue<() => void>();
  readonly #atOnce: number;
  #running = 0;

  constructor(atOnce: number) {
    this.#atOnce = atOnce;
  }

  async run<Value>(owner: readonly string[], work: () => Promise<Value>): Promise<Value> {
    if (this.#running < this.#atOnce) this.#running++;
    else await new Promise<void>((resolve) => this.#waiting.add(owner, resolve));
    try {
      return await work();
    } finally {
      const next = this.#waiting.next();
      if (next) next();
      else this.#running--;
    }
  }
}
