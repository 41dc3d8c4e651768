import { visible } from '../visible.ts';
import { JsonDepthError, JsonSizeError, JsonSyntaxError } from './errors.ts';

/** The default nesting limit of readers. Weave's servers reject deeper values, and the stack has room for much more. */
export const depthMaxDefault = 200;

/** Reads JSON token by token, independent of what is built from it. Also accepts `NaN` and `Infinity`. */
export class JsonScanner {
  readonly text: string;
  position = 0;
  #depth = 0;
  #values = 0;
  readonly #depthMax: number;
  readonly #isStrict: boolean;

  /** In strict mode, `NaN` and `Infinity` are not JSON. */
  constructor(text: string, depthMax: number, isStrict = false) {
    this.text = text;
    this.#depthMax = depthMax;
    this.#isStrict = isStrict;
  }

  /** The code of the next non-whitespace character, without consuming it; -1 at the end. */
  peek(): number {
    const { text } = this;
    let i = this.position;
    while (i < text.length) {
      const code = text.charCodeAt(i);
      if (code > 32 || !isSpace(code)) {
        this.position = i;
        return code;
      }
      i++;
    }
    this.position = i;
    return -1;
  }

  /** Consumes the next character if it is the given one. */
  accept(code: number): boolean {
    if (this.peek() !== code) return false;
    this.position++;
    return true;
  }

  /** For readers that keep values in memory, where each value costs far more than its characters. */
  countValue(valuesMax: number): void {
    if (++this.#values > valuesMax) throw new JsonSizeError(valuesMax);
  }

  expect(code: number, expected: string): void {
    if (!this.accept(code)) this.fail(expected);
  }

  expectEnd(): void {
    if (this.peek() !== -1) this.fail('the end of the text');
  }

  /** Reads an object; calls `readMember` with each key, positioned at its value. */
  readObject(readMember: (key: string) => void): void {
    this.enter();
    if (this.peek() !== Code.closeBrace) {
      do {
        const key = this.readString();
        this.expect(Code.colon, 'a colon');
        readMember(key);
      } while (this.accept(Code.comma));
    }
    this.leave(Code.closeBrace);
  }

  /** Reads an array; calls `readElement` positioned at each element. */
  readArray(readElement: () => void): void {
    this.enter();
    if (this.peek() !== Code.closeBracket) {
      do readElement();
      while (this.accept(Code.comma));
    }
    this.leave(Code.closeBracket);
  }

  enter(): void {
    this.position++;
    if (++this.#depth > this.#depthMax) throw new JsonDepthError(this.#depthMax);
  }

  leave(closer: number): void {
    this.expect(closer, closer === Code.closeBrace ? 'a comma or "}"' : 'a comma or "]"');
    this.#depth--;
  }

  /** Skips a string. Returns whether it contains escapes. */
  skipString(): boolean {
    const { text } = this;
    if (this.peek() !== Code.quote) this.fail('a string in double quotes');
    let hasEscapes = false;
    for (let i = this.position + 1; i < text.length; i++) {
      const code = text.charCodeAt(i);
      if (code === Code.quote) {
        this.position = i + 1;
        return hasEscapes;
      }
      if (code === Code.backslash) {
        hasEscapes = true;
        i += this.#escapeLength(i);
      } else if (code < 32) {
        throw new JsonSyntaxError(`The string holds a raw control character at ${i}. Write it as an escape.`, i);
      }
    }
    throw new JsonSyntaxError(`The string that starts at ${this.position} has no end.`, this.position);
  }

  readString(): string {
    this.peek();
    const start = this.position;
    const hasEscapes = this.skipString();
    return hasEscapes
      ? (JSON.parse(this.text.slice(start, this.position)) as string)
      : this.text.slice(start + 1, this.position - 1);
  }

  /** Reads `true`, `false`, `null` or a number, as its text. */
  readWord(): string {
    const start = this.position;
    word.lastIndex = start;
    if (!word.test(this.text)) this.fail('a value');
    if (this.#isStrict && /[NI]/.test(this.text.slice(start, start + 2))) this.fail('a value');
    this.position = word.lastIndex;
    return this.text.slice(start, this.position);
  }

  fail(expected: string): never {
    const { position, text } = this;
    const found =
      position < text.length ? visible(JSON.stringify(String.fromCodePoint(text.codePointAt(position)!))) : 'the end';
    throw new JsonSyntaxError(`Expected ${expected} at ${position} but found ${found}.`, position);
  }

  /** The length of the escape that starts at `start`, without its backslash. */
  #escapeLength(start: number): number {
    const letter = this.text[start + 1];
    if (letter === 'u' && fourHexDigits.test(this.text.slice(start + 2, start + 6))) return 5;
    if (letter !== undefined && '"\\/bfnrt'.includes(letter)) return 1;
    throw new JsonSyntaxError(`The string holds an escape that JSON does not know at ${start}.`, start);
  }
}

export const Code = {
  quote: 0x22,
  comma: 0x2c,
  colon: 0x3a,
  openBracket: 0x5b,
  backslash: 0x5c,
  closeBracket: 0x5d,
  openBrace: 0x7b,
  closeBrace: 0x7d,
} as const;

const word = /true|false|null|NaN|-?Infinity|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
const fourHexDigits = /^[\da-fA-F]{4}$/;

function isSpace(code: number): boolean {
  return code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09;
}
