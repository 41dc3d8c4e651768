import type { Tokenizer } from './tokenizer.ts';

/**
 * Turns ids into text as they come. Characters spread over several tokens are given out whole, once complete; U+FFFD
 * appears only for bytes that can never become a character. All pieces and the end joined are the decoded whole, except
 * that the space before a sentencepiece word is kept, because the output continues a text.
 */
export class Detokenizer {
  readonly #tokenizer: Tokenizer;
  readonly #hides: (id: number) => boolean;
  // The replacement of bad bytes is fixed by the WHATWG standard and equals Rust's; a BOM is text here.
  readonly #decoder = new TextDecoder('utf-8', { ignoreBOM: true });

  /** `shownTokens` stay even where special tokens are skipped. */
  constructor(tokenizer: Tokenizer, options: { skipSpecialTokens?: boolean; shownTokens?: readonly string[] } = {}) {
    this.#tokenizer = tokenizer;
    const shown = new Set(options.shownTokens?.map((token) => tokenizer.idOf(token)));
    const skips = options.skipSpecialTokens ?? true;
    this.#hides = skips ? (id) => tokenizer.specialIds.has(id) && !shown.has(id) : () => false;
  }

  /** The text that this token completes: often one word, sometimes nothing. */
  push(id: number): string {
    if (this.#hides(id)) return '';
    return this.#decoder.decode(this.#tokenizer.bytesOf(id), { stream: true });
  }

  /** What is left at the end: nothing, or one U+FFFD for a character that was cut off. */
  end(): string {
    return this.#decoder.decode();
  }
}
