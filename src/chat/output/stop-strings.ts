/** A stop string that was completed, and what of the text the reader gets. */
export type StopResult = { text: string; stop: string | null };

/**
 * Looks for stop strings in text that comes in pieces, and holds back what may still become part of one. The string that
 * ends earliest wins, then the order of the list. Each character costs one step for every string, however long they are.
 */
export class StopStrings {
  readonly #stops: Automaton[];
  readonly #includesStop: boolean;
  #held = '';

  constructor(stops: readonly string[], { includesStop = false } = {}) {
    this.#stops = stops.map((stop) => new Automaton(stop));
    this.#includesStop = includesStop;
  }

  /** Takes more text. `mayStop` is false while fewer than `min_tokens` exist: what ends there does not count. */
  push(text: string, mayStop = true): StopResult {
    if (this.#stops.length === 0) return { text, stop: null };
    const pending = this.#held + text;
    for (let index = 0; index < text.length; index++) {
      const found = this.#advance(text.charCodeAt(index));
      if (found === null || !mayStop) continue;
      this.#held = '';
      const end = pending.length - text.length + index + 1;
      return { text: pending.slice(0, this.#includesStop ? end : end - found.length), stop: found };
    }
    const shown = pending.length - (this.#includesStop ? 0 : Math.min(this.#longestStarted(), pending.length));
    this.#held = pending.slice(shown);
    return { text: pending.slice(0, shown), stop: null };
  }

  /** The text held back, once the sequence has ended for another reason. */
  end(): string {
    const held = this.#held;
    this.#held = '';
    return held;
  }

  #advance(code: number): string | null {
    let found: string | null = null;
    for (const stop of this.#stops) {
      if (stop.advance(code)) found ??= stop.text;
    }
    return found;
  }

  #longestStarted(): number {
    return this.#stops.reduce((longest, { started }) => Math.max(longest, started), 0);
  }
}

/** Knuth, Morris and Pratt: how much of one string the text ends with. */
class Automaton {
  readonly text: string;
  /** How many characters at the end of the text begin the string, the whole string not counted. */
  started = 0;
  readonly #fallback: Uint32Array;

  constructor(text: string) {
    this.text = text;
    this.#fallback = fallbacksOf(text);
  }

  /** True when this character completes the string. */
  advance(code: number): boolean {
    while (this.started > 0 && this.text.charCodeAt(this.started) !== code)
      this.started = this.#fallback[this.started]!;
    if (this.text.charCodeAt(this.started) === code) this.started++;
    if (this.started < this.text.length) return false;
    this.started = this.#fallback[this.started]!;
    return true;
  }
}

/** For each length, the longest shorter prefix that is also a suffix of the prefix of that length. */
function fallbacksOf(text: string): Uint32Array {
  const fallback = new Uint32Array(text.length + 1);
  let length = 0;
  for (let index = 1; index < text.length; index++) {
    while (length > 0 && text[index] !== text[length]) length = fallback[length]!;
    if (text[index] === text[length]) length++;
    fallback[index + 1] = length;
  }
  return fallback;
}
