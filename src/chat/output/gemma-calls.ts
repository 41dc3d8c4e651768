/** Reads `call:name{key:<|"|>text<|"|>,other:3}`. @throws if it is not a call */
export function readGemmaCall(text: string): { name: string; arguments: string } {
  return readCall(text, '<|"|>');
}

/** Reads `call:name{key:<escape>text<escape>,other:3}`. @throws if it is not a call */
export function readFunctionGemmaCall(text: string): { name: string; arguments: string } {
  return readCall(text, '<escape>');
}

function readCall(text: string, quote: string): { name: string; arguments: string } {
  const found = /^\s*call:\s*([^\s{]+)\s*(\{.*\})\s*$/s.exec(text);
  if (!found) throw new Error('there is no call:name{…}');
  const reader = new ArgumentsReader(found[2]!, quote);
  const value = reader.value(0);
  if (!reader.isAtEnd) throw new Error('there is text after the arguments');
  return { name: found[1]!, arguments: value };
}

const depthMax = 100;

/** Converts arguments to JSON: keys have no quotes, and a special token encloses strings. */
class ArgumentsReader {
  readonly #text: string;
  readonly #quote: string;
  #at = 0;

  constructor(text: string, quote: string) {
    this.#text = text;
    this.#quote = quote;
  }

  get isAtEnd(): boolean {
    return this.#at === this.#text.length;
  }

  value(depth: number): string {
    if (depth > depthMax) throw new Error('the arguments are nested too deep');
    this.#skipSpace();
    if (this.#takes(this.#quote)) return JSON.stringify(this.#until(this.#quote));
    if (this.#takes('{')) return `{${this.#list('}', () => this.#member(depth)).join(', ')}}`;
    if (this.#takes('[')) return `[${this.#list(']', () => this.value(depth + 1)).join(', ')}]`;
    const word = this.#word(/[^,}\]]*/y).trim();
    if (/^(true|false|null)$/i.test(word)) return word.toLowerCase();
    if (word === 'None') return 'null';
    if (/^-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?$/.test(word)) return word;
    if (word === '') throw new Error('a value is missing');
    return JSON.stringify(word);
  }

  #member(depth: number): string {
    this.#skipSpace();
    const key = this.#takes(this.#quote) ? this.#until(this.#quote) : this.#word(/[^:,{}[\]]+/y).trim();
    this.#skipSpace();
    if (!this.#takes(':')) throw new Error('a key has no value');
    return `${JSON.stringify(key)}: ${this.value(depth + 1)}`;
  }

  #list(close: string, item: () => string): string[] {
    const items: string[] = [];
    this.#skipSpace();
    if (this.#takes(close)) return items;
    for (;;) {
      items.push(item());
      this.#skipSpace();
      if (this.#takes(close)) return items;
      if (!this.#takes(',')) throw new Error(`a comma or ${close} is missing`);
    }
  }

  #takes(mark: string): boolean {
    if (!this.#text.startsWith(mark, this.#at)) return false;
    this.#at += mark.length;
    return true;
  }

  #until(mark: string): string {
    const end = this.#text.indexOf(mark, this.#at);
    if (end === -1) throw new Error('a string is not closed');
    const inside = this.#text.slice(this.#at, end);
    this.#at = end + mark.length;
    return inside;
  }

  #word(pattern: RegExp): string {
    pattern.lastIndex = this.#at;
    const word = pattern.exec(this.#text)?.[0] ?? '';
    this.#at += word.length;
    return word;
  }

  #skipSpace(): void {
    this.#word(/\s*/y);
  }
}
