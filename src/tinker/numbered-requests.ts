import { conflict } from '../util/failures.ts';

/** How far back a client may repeat a request. */
const keptMax = 4096;

/** Requests that their client numbers, so that a repeated one has no further effect. */
export class NumberedRequests<Answer> {
  readonly #answers = new Map<number, { digest: string; answer: Answer }>();

  /**
   * Starts a request, or returns the answer to the first one of its number.
   * @param number null for a request that is not numbered
   * @throws Failure for another request of the same number
   */
  answer(number: number | null, digest: string, start: () => Answer): Answer {
    const before = number === null ? undefined : this.#answers.get(number);
    if (before?.digest === digest) return before.answer;
    if (before) throw conflict(`Another request with the number ${number} was sent before.`);
    const answer = start();
    if (number !== null) this.#answers.set(number, { digest, answer });
    const [oldest] = this.#answers.keys();
    if (this.#answers.size > keptMax) this.#answers.delete(oldest!);
    return answer;
  }
}
