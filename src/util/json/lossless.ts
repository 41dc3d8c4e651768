import { Code, depthMaxDefault, JsonScanner } from './scanner.ts';

/** A JSON value that keeps what `JSON.parse` loses: the digits of numbers and the order of integer-like keys. */
export type LosslessJson = null | boolean | string | JsonNumber | LosslessJson[] | LosslessObject;
export type LosslessObject = Map<string, LosslessJson>;

/** A number as written. `NaN`, `Infinity` and `-Infinity` are numbers here. */
export class JsonNumber {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }

  /** Whether it is written without a fraction or exponent: `1` is, `1.0` and `1e0` are not. */
  get isInteger(): boolean {
    return /^-?\d+$/.test(this.text);
  }

  valueOf(): number {
    return Number(this.text);
  }
}

/** The last value of a repeated key wins, at the position of the first, as in Python and JavaScript. */
export function parseLossless(text: string, valuesMax = Number.POSITIVE_INFINITY): LosslessJson {
  const scanner = new JsonScanner(text, depthMaxDefault);
  const value = readValue(scanner, valuesMax);
  scanner.expectEnd();
  return value;
}

export type JsonStyle = {
  readonly comma: string;
  readonly colon: string;
  readonly compareKeys?: (a: string, b: string) => number;
  readonly string: (value: string) => string;
  readonly number: (value: JsonNumber) => string;
};

const compact: JsonStyle = { comma: ',', colon: ':', string: JSON.stringify, number: (value) => value.text };

export function stringifyLossless(tree: LosslessJson, style: JsonStyle = compact): string {
  if (typeof tree === 'string') return style.string(tree);
  if (tree === null || typeof tree === 'boolean') return String(tree);
  if (tree instanceof JsonNumber) return style.number(tree);
  if (Array.isArray(tree)) return `[${tree.map((element) => stringifyLossless(element, style)).join(style.comma)}]`;
  const keys = [...tree.keys()];
  if (style.compareKeys !== undefined) keys.sort(style.compareKeys);
  const members = keys.map((key) => style.string(key) + style.colon + stringifyLossless(tree.get(key)!, style));
  return `{${members.join(style.comma)}}`;
}

function readValue(scanner: JsonScanner, valuesMax: number): LosslessJson {
  scanner.countValue(valuesMax);
  switch (scanner.peek()) {
    case Code.quote:
      return scanner.readString();
    case Code.openBrace:
      return readObject(scanner, valuesMax);
    case Code.openBracket:
      return readArray(scanner, valuesMax);
    default:
      return wordValue(scanner.readWord());
  }
}

function readObject(scanner: JsonScanner, valuesMax: number): LosslessObject {
  const object: LosslessObject = new Map();
  scanner.readObject((key) => object.set(key, readValue(scanner, valuesMax)));
  return object;
}

function readArray(scanner: JsonScanner, valuesMax: number): LosslessJson[] {
  const array: LosslessJson[] = [];
  scanner.readArray(() => array.push(readValue(scanner, valuesMax)));
  return array;
}

function wordValue(word: string): LosslessJson {
  switch (word) {
    case 'true':
      return true;
    case 'false':
      return false;
    case 'null':
      return null;
    default:
      return new JsonNumber(word);
  }
}
