/**
 * What answers at an address. `several`: a balancer spreads requests over several processes, or one server has several. It is certain once
 * two of them have answered. `one`: all connections so far have reached the same process. A balancer that sends everything from
 * this machine to one process looks the same. `unknown`: the server does not say when its process started.
 */
export type Answering = { kind: 'one' | 'several' | 'unknown'; certainty: number; why: string };

/** The processes that have answered at an address, by when they started. */
export class AnsweringProcesses {
  /** The last ones, the current one at the end. */
  #starts: (number | null)[] = [];
  #isSeveral = false;
  /** Connections that have reached the current one in a row. */
  #connections = 0;

  /**
   * Connections that were open at the same time have reached these.
   * @param wasAway whether the server was lost before
   * @returns whether what is known of the server is outdated
   */
  see(starts: readonly (number | null)[], wasAway: boolean): boolean {
    const known = this.#starts.at(-1);
    const distinct = new Set(starts);
    // A process that has ended does not come back.
    const hasReturned = starts.some((start) => start !== null && start !== known && this.#starts.includes(start));
    this.#isSeveral ||= distinct.size > 1 || hasReturned;
    const last = starts.at(-1) ?? null;
    const isNew = last !== known || (last === null && wasAway);
    this.#connections = isNew ? starts.length : this.#connections + starts.length;
    this.#starts = [...this.#starts.filter((each) => !distinct.has(each)), ...distinct].slice(-startsMax);
    return isNew && (wasAway || !this.#isSeveral || known === undefined);
  }

  get answering(): Answering {
    if (this.#isSeveral) return { kind: 'several', certainty: 1, why: 'several processes have answered' };
    if (this.#starts.length === 0) return { kind: 'unknown', certainty: 0, why: 'it has not answered yet' };
    if (this.#starts.at(-1) === null)
      return { kind: 'unknown', certainty: 0, why: 'it does not say when its process started' };
    const certainty = 1 - 0.5 ** (this.#connections - 1); // a balancer that chooses one of two at random
    return { kind: 'one', certainty, why: `${this.#connections} connections have reached one process` };
  }
}

const startsMax = 16;
