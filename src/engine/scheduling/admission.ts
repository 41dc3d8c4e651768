import { busy } from '../../util/failures.ts';
import type { Generation } from './generation.ts';
import type { Tenant } from './generation-request.ts';
import { computedLength, type Sequence, sequenceLength } from './sequence.ts';
import { WaitingGenerations } from './waiting-generations.ts';

type AdmissionLimits = {
  /** Maximum number of sequences in a step. */
  runningMax: number;
  /** Maximum number of waiting requests. */
  waitingMax: number;
};

/** The requests of a model, in the order of service: those that have started, then those that wait to start. */
export class Admission {
  readonly #begun: Generation[] = [];
  readonly #waiting = new WaitingGenerations();
  readonly #limits: AdmissionLimits;

  constructor(limits: AdmissionLimits) {
    this.#limits = limits;
  }

  /** @throws Failure if too many requests are waiting already */
  checkRoom([user]: Tenant): void {
    const { runningMax, waitingMax } = this.#limits;
    const begunSoon = Math.max(0, runningMax - this.#begun.length);
    if (this.#waiting.hasRoomFor(user, waitingMax + begunSoon)) return;
    throw busy(
      `${this.#waiting.size} requests are waiting for this model; at most ${waitingMax} may (chatWaitingMax). ` +
        'Try again in a moment.',
    );
  }

  /** Requests that have started, and those that wait for their turn. */
  get load(): { running: number; waiting: number } {
    return { running: this.#begun.length, waiting: this.#waiting.size };
  }

  get isEmpty(): boolean {
    return this.#begun.length + this.#waiting.size === 0;
  }

  /** The requests that have started, in the order of service. */
  get begun(): readonly Generation[] {
    return this.#begun;
  }

  /** The sequences of all requests that have started, in the order of service. */
  get sequences(): Sequence[] {
    return this.#begun.flatMap((generation) => generation.sequences);
  }

  add(generation: Generation): void {
    this.#waiting.add(generation);
  }

  remove(generation: Generation): void {
    const at = this.#begun.indexOf(generation);
    if (at !== -1) this.#begun.splice(at, 1);
    else this.#waiting.delete(generation);
  }

  removeAll(): Generation[] {
    return [...this.#begun.splice(0), ...this.#waiting.clear()];
  }

  /** The sequences whose turn it is. Starts waiting requests if there is room for more sequences. */
  admit(): Sequence[] {
    const { runningMax } = this.#limits;
    const turns: Sequence[] = [];
    let stalled = 0;
    for (let at = 0; ; at++) {
      const generation = this.#generationAt(at, turns.length + stalled < runningMax);
      if (!generation) return turns;
      for (const sequence of generation.sequences) {
        if (turns.length === runningMax) return turns;
        // In a beam search, sequences that have taken their step wait for the others.
        if (computedLength(sequence) >= sequenceLength(sequence)) continue;
        if (sequence.state === 'stalled') stalled++;
        else if (sequence.state === 'ready') turns.push(sequence);
      }
    }
  }

  /** Lets the sequences that found no memory try again. */
  retryStalled(): void {
    for (const { sequences } of this.#begun) {
      for (const sequence of sequences) if (sequence.state === 'stalled') sequence.state = 'ready';
    }
  }

  /** The request at this place in the order of service: one that has started, or a waiting one that starts now. */
  #generationAt(at: number, mayBegin: boolean): Generation | undefined {
    const begun = this.#begun[at];
    const { priority } = this.#waiting;
    if (!mayBegin || priority === undefined || (begun && begun.priority <= priority)) return begun;
    const generation = this.#waiting.next()!;
    this.#begun.splice(at, 0, generation);
    return generation;
  }
}
