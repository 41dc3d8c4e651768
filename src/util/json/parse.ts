import type { JsonText } from './json-text.ts';
import { keepNext } from './keep.ts';
import { Code, depthMaxDefault, JsonScanner } from './scanner.ts';
import { replaceLoneSurrogates } from './well-formed.ts';

/**
 * The values to keep as text, as a tree of keys: `{ call: { inputs: true } }` keeps `inputs` of `call`. The key `*`
 * matches every element of an array and every member of an object that has no key of its own here.
 */
export type KeepTree = true | { readonly [key: string]: KeepTree };

export type ParseOptions = {
  keep?: KeepTree;
  /** The maximum nesting of objects and arrays, at most a thousand: the parser recurses. */
  depthMax?: number;
  /** Rejects `NaN` and infinities. */
  isStrict?: boolean;
  /** The maximum number of values. A value that stays text counts as one, regardless of its content. */
  valuesMax?: number;
};

/**
 * Parses like `JSON.parse`, except that values marked in `keep` become {@link JsonText}, `NaN` and infinities, which
 * Python sends, become null outside of them, and lone surrogates become U+FFFD.
 */
export function parseJson(
  text: string,
  { keep, depthMax = depthMaxDefault, isStrict = false, valuesMax = Number.POSITIVE_INFINITY }: ParseOptions = {},
): unknown {
  const scanner = new JsonScanner(replaceLoneSurrogates(text), depthMax, isStrict);
  const value = readValue(scanner, keep, valuesMax);
  scanner.expectEnd();
  return value;
}

function readValue(scanner: JsonScanner, keep: KeepTree | undefined, valuesMax: number): unknown {
  scanner.countValue(valuesMax);
  if (keep === true) return keepNext(scanner);
  switch (scanner.peek()) {
    case Code.quote:
      return scanner.readString();
    case Code.openBrace:
      return readObject(scanner, keep, valuesMax);
    case Code.openBracket:
      return readArray(scanner, keep, valuesMax);
    default:
      return wordValue(scanner.readWord());
  }
}

function readObject(scanner: JsonScanner, keep: KeepTree | undefined, valuesMax: number): Record<string, unknown> {
  const object: Record<string, unknown> = {};
  scanner.readObject((key) => setMember(object, key, readValue(scanner, keepBelow(keep, key), valuesMax)));
  return object;
}

function readArray(scanner: JsonScanner, keep: KeepTree | undefined, valuesMax: number): unknown[] {
  const array: unknown[] = [];
  const keepElement = keepBelow(keep, '*');
  scanner.readArray(() => array.push(readValue(scanner, keepElement, valuesMax)));
  return array;
}

function wordValue(word: string): boolean | number | null {
  switch (word) {
    case 'true':
      return true;
    case 'false':
      return false;
    case 'null':
    case 'NaN':
    case 'Infinity':
    case '-Infinity':
      return null;
    default:
      return Number(word);
  }
}

/** What to keep of a member or, under `*`, of an element. */
export function keepBelow(keep: KeepTree | undefined, key: string): KeepTree | undefined {
  if (keep === undefined || keep === true) return undefined;
  return Object.hasOwn(keep, key) ? keep[key] : keep['*'];
}

/** As in `JSON.parse`, `__proto__` in a body is a key like any other and must not reach the prototype. */
function setMember(object: Record<string, unknown>, key: string, value: unknown): void {
  if (key === '__proto__') {
    Object.defineProperty(object, key, { value, writable: true, enumerable: true, configurable: true });
  } else {
    object[key] = value;
  }
}
