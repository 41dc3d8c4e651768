/** A completed stop string, and the part of the text that the reader gets. */
export type StopResult = { text: string; stop: string | null };

/**
 * Finds stop strings in text that arrives in pieces, and holds back text that may become part of one. The string that
 * ends first wins, then the order of the list. Each character costs one step per string, whatever the strings' lengths.
 */
export class StopStrings {
  readonly #stops: Automaton[];
  readonly #includesStop: boolean;
  #held = '';

  constructor(stops: readonly string[], { includesStop = false } = {}) {
    this.#stops = stops.map((stop) => new Automaton(stop));
    this.#includesStop = includesStop;
  }

  /**
   * Consumes more text. `mayStop` is false while there are fewer than `min_tokens`: strings that end there do not
   * count.
   */
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

  /** The held-back text, after the sequence has ended for another reason. */
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

/** Knuth-Morris-Pratt: how much of one string the text ends with. */
class Automaton {
  readonly text: string;
  /** How many characters at the end of the text are a proper prefix of the string. */
  started = 0;
  readonly #fallback: Uint32Array;

  constructor(text: string) {
    this.text = text;
    this.#fallback = fallbacksOf(text);
  }

  /** Returns true if this character completes the string. */
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
