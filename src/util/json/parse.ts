import { JsonSyntaxError } from './errors.ts';
import { JsonText } from './json-text.ts';
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
  /** Keeps numbers that JavaScript writes differently, such as 107505301260286111 or `1.0`, as {@link JsonText}. */
  keepsDigits?: boolean;
  /** Rejects `NaN` and infinities. */
  isStrict?: boolean;
  /** Rejects objects with two members of one name, of which the last would count. */
  hasUniqueKeys?: boolean;
  /** The maximum number of values. A value that stays text counts as one, regardless of its content. */
  valuesMax?: number;
};

/**
 * Parses like `JSON.parse`, except that values marked in `keep` become {@link JsonText}, `NaN` and infinities, which
 * Python sends, become null outside of them, and lone surrogates become U+FFFD.
 */
export function parseJson(
  text: string,
  { keep, depthMax = depthMaxDefault, isStrict = false, keepsDigits = false, ...limits }: ParseOptions = {},
): unknown {
  const scanner = new JsonScanner(replaceLoneSurrogates(text), depthMax, isStrict);
  const { hasUniqueKeys = false, valuesMax = Number.POSITIVE_INFINITY } = limits;
  const value = readValue(scanner, keep, { hasUniqueKeys, valuesMax, numberOf: keepsDigits ? exactNumber : Number });
  scanner.expectEnd();
  return value;
}

/**
 * Parses as `JSON.parse` should. V8 14.6 and older may take a key that is written with escapes for another key that the
 * process has read (https://github.com/nodejs/node/issues/63785): after `{"a":0,"\\":0}`, the second key of `{"a":0,"\n":0}`
 * is a backslash. @throws SyntaxError
 */
// biome-ignore lint/suspicious/noExplicitAny: as `JSON.parse` returns it
export function parsePlain(text: string): any {
  const value = JSON.parse(text);
  return hasEscapedKey(text) ? readPlain(text, Number) : value;
}

/** The same, with numbers as `numberOf` makes them of their digits. */
export function parseWithNumbers(text: string, numberOf: (digits: string) => unknown): unknown {
  const value = JSON.parse(text, (_key, each, context?: { source?: string }) =>
    typeof each === 'number' && context?.source !== undefined ? numberOf(context.source) : each,
  );
  return hasEscapedKey(text) ? readPlain(text, numberOf) : value;
}

function readPlain(text: string, numberOf: (digits: string) => unknown): unknown {
  const reading = { hasUniqueKeys: false, valuesMax: Number.POSITIVE_INFINITY, numberOf };
  return readValue(new JsonScanner(text, Number.POSITIVE_INFINITY), undefined, reading);
}

/** Whether a key is written with escapes. Finding more, in texts, only costs time. */
function hasEscapedKey(text: string): boolean {
  return text.includes('\\') && /\\.[^"\\]*"\s*:/s.test(text);
}

type Reading = { hasUniqueKeys: boolean; valuesMax: number; numberOf: (digits: string) => unknown };

function readValue(scanner: JsonScanner, keep: KeepTree | undefined, reading: Reading): unknown {
  scanner.countValue(reading.valuesMax);
  if (keep === true) return keepNext(scanner);
  switch (scanner.peek()) {
    case Code.quote:
      return scanner.readString();
    case Code.openBrace:
      return readObject(scanner, keep, reading);
    case Code.openBracket:
      return readArray(scanner, keep, reading);
    default:
      return wordValue(scanner.readWord(), reading);
  }
}

function readObject(scanner: JsonScanner, keep: KeepTree | undefined, reading: Reading): Record<string, unknown> {
  const object: Record<string, unknown> = {};
  scanner.readObject((key) => {
    if (reading.hasUniqueKeys && Object.hasOwn(object, key)) {
      throw new JsonSyntaxError(`The key ${JSON.stringify(key)} occurs twice in an object.`, scanner.position);
    }
    setMember(object, key, readValue(scanner, keepBelow(keep, key), reading));
  });
  return object;
}

function readArray(scanner: JsonScanner, keep: KeepTree | undefined, reading: Reading): unknown[] {
  const array: unknown[] = [];
  const keepElement = keepBelow(keep, '*');
  scanner.readArray(() => array.push(readValue(scanner, keepElement, reading)));
  return array;
}

function wordValue(word: string, { numberOf }: Reading): unknown {
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
      return numberOf(word);
  }
}

function exactNumber(digits: string): number | JsonText {
  const value = Number(digits);
  return String(value) === digits ? value : new JsonText(digits);
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
