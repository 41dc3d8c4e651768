import type { Tokenizer } from './tokenizer.ts';

/**
 * Turns ids into text as they arrive. Characters split over several tokens are returned once complete; U+FFFD appears
 * only for bytes that can never become a character. All pieces and the end, joined, are the decoded whole, except that
 * the space before a sentencepiece word is kept, because the output continues a text.
 */
export class Detokenizer {
  readonly #tokenizer: Tokenizer;
  readonly #hides: (id: number) => boolean;
  // The WHATWG standard defines the replacement of invalid bytes, which equals Rust's; a BOM is kept as text.
  readonly #decoder = new TextDecoder('utf-8', { ignoreBOM: true });

  /** `shownTokens` are kept even if special tokens are skipped. */
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

  /** The rest at the end: nothing, or one U+FFFD for an incomplete character. */
  end(): string {
    return this.#decoder.decode();
  }
}
