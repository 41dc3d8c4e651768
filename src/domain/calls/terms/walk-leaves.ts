import { Code } from '../../../util/json/scanner.ts';
import { placeBelow, termElementsMax, termTextMax } from './terms.ts';

/** Called with each JSON value that is not an object, list or null, and with its location. */
export type LeafVisitor = {
  /** Strings too long for a term are skipped. */
  string(place: string, value: string): void;
  number(place: string, text: string): void;
  bool(place: string, value: boolean): void;
  /** An object contains a key twice. */
  repeatedKey(): void;
  /** Elements of a long list are skipped: this is their text. */
  elementsLeftOut(text: string): void;
};

/** Visits the leaves of JSON text that is validated and minified, as `JsonText` is. */
export function walkLeaves(text: string, root: string, visitor: LeafVisitor): void {
  new Walk(text, visitor).value(root);
}

class Walk {
  readonly #text: string;
  readonly #visitor: LeafVisitor;
  #position = 0;

  constructor(text: string, visitor: LeafVisitor) {
    this.#text = text;
    this.#visitor = visitor;
  }

  value(place: string): void {
    switch (this.#text.charCodeAt(this.#position)) {
      case Code.openBrace:
        this.#object(place);
        break;
      case Code.openBracket:
        this.#list(place);
        break;
      case Code.quote: {
        const value = this.#string(termTextMax);
        if (value !== null) this.#visitor.string(place, value);
        break;
      }
      default:
        this.#word(place);
    }
  }

  #object(place: string): void {
    if (this.#isEmpty(Code.closeBrace)) return;
    const keys = new Set<string>();
    do {
      const key = this.#string()!;
      if (keys.size === keys.add(key).size) this.#visitor.repeatedKey();
      this.#position++; // the colon
      this.value(placeBelow(place, key));
    } while (this.#text.charCodeAt(this.#position++) === Code.comma);
  }

  #list(place: string): void {
    if (this.#isEmpty(Code.closeBracket)) return;
    for (let index = 0; index < termElementsMax; index++) {
      this.value(placeBelow(place, index));
      if (this.#text.charCodeAt(this.#position++) !== Code.comma) return;
    }
    const start = this.#position;
    do this.#skipValue();
    while (this.#text.charCodeAt(this.#position++) === Code.comma);
    this.#visitor.elementsLeftOut(this.#text.slice(start, this.#position - 1));
  }

  /** Moves into a container, or past it if it is empty. */
  #isEmpty(closer: number): boolean {
    const isEmpty = this.#text.charCodeAt(++this.#position) === closer;
    if (isEmpty) this.#position++;
    return isEmpty;
  }

  /** Reads a string; null if it is too long. */
  #string(lengthMax = Number.POSITIVE_INFINITY): string | null {
    const start = this.#position + 1;
    const end = this.#skipString();
    if (end - start > lengthMax * escapeLength) return null;
    const raw = this.#text.slice(start, end);
    const value = raw.includes('\\') ? (JSON.parse(`"${raw}"`) as string) : raw;
    return value.length > lengthMax ? null : value;
  }

  /** Moves past a string and returns the position of its closing quote. */
  #skipString(): number {
    const text = this.#text;
    let end = text.indexOf('"', this.#position + 1);
    while (text.charCodeAt(end - 1) === Code.backslash && isEscaped(text, end)) end = text.indexOf('"', end + 1);
    this.#position = end + 1;
    return end;
  }

  #word(place: string): void {
    const start = this.#position;
    this.#skipWord();
    switch (this.#text.charCodeAt(start)) {
      case letterN:
        break;
      case letterT:
        this.#visitor.bool(place, true);
        break;
      case letterF:
        this.#visitor.bool(place, false);
        break;
      default:
        this.#visitor.number(place, this.#text.slice(start, this.#position));
    }
  }

  #skipWord(): void {
    while (!isBehindValue(this.#text.charCodeAt(this.#position))) this.#position++;
  }

  #skipValue(): void {
    let depth = 0;
    do {
      const code = this.#text.charCodeAt(this.#position);
      if (code === Code.quote) {
        this.#skipString();
        continue;
      }
      if (code === Code.openBrace || code === Code.openBracket) depth++;
      else if (code === Code.closeBrace || code === Code.closeBracket) depth--;
      this.#position++;
    } while (depth > 0 || !isBehindValue(this.#text.charCodeAt(this.#position)));
  }
}

/** `\u0041` is one character. */
const escapeLength = 6;
const [letterF, letterN, letterT] = [0x66, 0x6e, 0x74];

function isBehindValue(code: number): boolean {
  return code === Code.comma || code === Code.closeBrace || code === Code.closeBracket || Number.isNaN(code);
}

/** A quote is escaped if an odd number of backslashes precedes it. */
function isEscaped(text: string, position: number): boolean {
  let first = position;
  while (text.charCodeAt(first - 1) === Code.backslash) first--;
  return (position - first) % 2 === 1;
}
