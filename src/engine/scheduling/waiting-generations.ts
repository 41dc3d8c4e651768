import { FairQueue, hasFairRoom } from '../../util/fair-queue.ts';
import type { Generation } from './generation.ts';

/**
 * Requests that have not started: lower priority values first; at equal priority, users and their projects take turns.
 */
export class WaitingGenerations {
  /** Sorted by priority. */
  readonly #queues: { priority: number; generations: FairQueue<Generation> }[] = [];
  readonly #ofUser = new Map<string, number>();
  #lastUser: string | null = null;
  #size = 0;

  get size(): number {
    return this.#size;
  }

  /** The priority of the request whose turn it is. */
  get priority(): number | undefined {
    return this.#queues[0]?.priority;
  }

  add(generation: Generation): void {
    let at = this.#queues.findIndex(({ priority }) => priority >= generation.priority);
    if (at === -1) at = this.#queues.length;
    if (this.#queues[at]?.priority !== generation.priority) {
      this.#queues.splice(at, 0, { priority: generation.priority, generations: new FairQueue(this.#lastUser) });
    }
    this.#queues[at]!.generations.add(generation.tenant, generation);
    this.#count(generation, 1);
  }

  next(): Generation | undefined {
    const generation = this.#queues[0]?.generations.next();
    if (!generation) return undefined;
    if (this.#queues[0]!.generations.size === 0) this.#queues.shift();
    this.#lastUser = generation.tenant[0];
    this.#count(generation, -1);
    return generation;
  }

  delete(generation: Generation): void {
    const at = this.#queues.findIndex(({ priority }) => priority === generation.priority);
    if (!this.#queues[at]?.generations.delete(generation.tenant, generation)) return;
    if (this.#queues[at].generations.size === 0) this.#queues.splice(at, 1);
    this.#count(generation, -1);
  }

  /** Removes all. */
  clear(): Generation[] {
    const generations: Generation[] = [];
    for (let generation = this.next(); generation; generation = this.next()) generations.push(generation);
    return generations;
  }

  /** Whether this user may add another request when about `sizeMax` may wait. */
  hasRoomFor(user: string, sizeMax: number): boolean {
    const own = this.#ofUser.get(user) ?? 0;
    return hasFairRoom({ size: this.#size, own, owners: this.#ofUser.size }, sizeMax);
  }

  #count({ tenant: [user] }: Generation, change: 1 | -1): void {
    this.#size += change;
    const count = (this.#ofUser.get(user) ?? 0) + change;
    if (count === 0) this.#ofUser.delete(user);
    else this.#ofUser.set(user, count);
  }
}
