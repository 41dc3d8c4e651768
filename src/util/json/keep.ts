import { JsonText } from './json-text.ts';
import { minify } from './minify.ts';
import { Code, type JsonScanner } from './scanner.ts';

/** Reads the next value without parsing it: checked, minified, `NaN` and infinities as null, all else as written. */
export function keepNext(scanner: JsonScanner): JsonText {
  scanner.peek();
  const start = scanner.position;
  const { isMinified } = new Checker(scanner).check();
  const text = scanner.text.slice(start, scanner.position);
  return new JsonText(isMinified ? text : minify(text));
}

/** Moves over one value, and notes whether all of it may stay as it is. */
class Checker {
  isMinified = true;
  readonly #scanner: JsonScanner;

  constructor(scanner: JsonScanner) {
    this.#scanner = scanner;
  }

  check(): this {
    this.#skipValue();
    return this;
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
    const word = this.#scanner.readWord();
    if (word.endsWith('N') || word.endsWith('y')) this.isMinified = false;
  }

  #acceptComma(): boolean {
    return this.#peek() === Code.comma && this.#scanner.accept(Code.comma);
  }

  #peek(): number {
    const start = this.#scanner.position;
    const code = this.#scanner.peek();
    if (this.#scanner.position !== start) this.isMinified = false;
    return code;
  }
}
