import { type Sequence, sequenceLength } from './sequence.ts';

/** How many of the newest tokens must have occurred before. */
const matchLength = 3;

/** The initial and minimal number of guessed tokens. */
const guessMin = 4;

/** After wrong guesses, the maximum number of tokens that are generated without another guess. */
const pauseMax = 64;

/**
 * Guesses the next tokens of a sequence: those that followed when its newest tokens last occurred (prompt lookup
 * decoding). Computing a guess takes about 1.5 times as long as a single token, so guesses become longer while at least
 * half of their tokens are right, and rarer if not.
 */
export class PromptLookup {
  readonly #guessMax: number;
  #length: number;
  #pause = 0;
  #misses = 0;

  constructor(guessMax: number) {
    this.#guessMax = guessMax;
    this.#length = Math.min(guessMin, guessMax);
  }

  /** At most this many tokens, and none if none are likely. */
  guess(sequence: Sequence, most: number): number[] {
    if (this.#guessMax === 0) return [];
    if (this.#pause > 0) {
      this.#pause--;
      return [];
    }
    const length = sequenceLength(sequence);
    const after = lastOccurrence(sequence, length);
    if (after === null) return [];
    const end = Math.min(after + Math.min(this.#length, most), length);
    return Array.from({ length: end - after }, (_, i) => tokenAt(sequence, after + i));
  }

  /** The first `right` of the guessed tokens were generated. */
  learn(guessed: number, right: number): void {
    if (2 * right >= guessed) {
      this.#misses = 0;
      if (right === this.#length) this.#length = Math.min(2 * this.#length, this.#guessMax);
      return;
    }
    this.#misses++;
    this.#length = Math.min(guessMin, this.#guessMax);
    this.#pause = Math.min(2 ** this.#misses, pauseMax);
  }
}

/** The end of the previous occurrence of the newest tokens, or null. */
function lastOccurrence(sequence: Sequence, length: number): number | null {
  const newest = Array.from({ length: matchLength }, (_, i) => tokenAt(sequence, length - 1 - i));
  for (let end = length - 1; end >= matchLength; end--) {
    if (tokenAt(sequence, end - 1) !== newest[0]) continue; // makes scanning a long text fast
    if (newest.every((token, i) => tokenAt(sequence, end - 1 - i) === token)) return end;
  }
  return null;
}

function tokenAt({ prompt, output }: Sequence, position: number): number {
  return position < prompt.length ? prompt[position]! : output[position - prompt.length]!;
}
