import { JsonText } from './json-text.ts';
import { Code, type JsonScanner } from './scanner.ts';

/**
 * Reads the next value without parsing it: validated and minified, with `NaN` and infinities as strings, since JSON
 * has no other form for them, and everything else as written.
 */
export function keepNext(scanner: JsonScanner): JsonText {
  scanner.peek();
  return new JsonText(new Keeper(scanner).keep());
}

/** Copies the text between its edits. Text without edits, the usual case, is one slice of the whole. */
class Keeper {
  readonly #scanner: JsonScanner;
  #copied = '';
  #copiedTo: number;

  constructor(scanner: JsonScanner) {
    this.#scanner = scanner;
    this.#copiedTo = scanner.position;
  }

  keep(): string {
    this.#skipValue();
    return this.#copied + this.#scanner.text.slice(this.#copiedTo, this.#scanner.position);
  }

  #skipValue(): void {
    const code = this.#peek();
    if (code === Code.quote) this.#scanner.skipString();
    else if (code === Code.openBrace) this.#skipObject();
    else if (code === Code.openBracket) this.#skipArray();
    else this.#skipWord();
  }

  #skipObject(): void {
    const scanner = this.#scanner;
    scanner.enter();
    if (this.#peek() !== Code.closeBrace) {
      do {
        this.#peek();
        scanner.skipString();
        this.#peek();
        scanner.expect(Code.colon, 'a colon');
        this.#skipValue();
      } while (this.#acceptComma());
    }
    scanner.leave(Code.closeBrace);
  }

  #skipArray(): void {
    const scanner = this.#scanner;
    scanner.enter();
    if (this.#peek() !== Code.closeBracket) {
      do this.#skipValue();
      while (this.#acceptComma());
    }
    scanner.leave(Code.closeBracket);
  }

  #skipWord(): void {
    const start = this.#scanner.position;
    const word = this.#scanner.readWord();
    if (word.endsWith('N') || word.endsWith('y')) this.#replace(start, this.#scanner.position, `"${word}"`);
  }

  #acceptComma(): boolean {
    return this.#peek() === Code.comma && this.#scanner.accept(Code.comma);
  }

  /** Like the scanner's, but removes the whitespace that it skips. */
  #peek(): number {
    const start = this.#scanner.position;
    const code = this.#scanner.peek();
    if (this.#scanner.position !== start) this.#replace(start, this.#scanner.position, '');
    return code;
  }

  #replace(start: number, end: number, replacement: string): void {
    this.#copied += this.#scanner.text.slice(this.#copiedTo, start) + replacement;
    this.#copiedTo = end;
  }
}
