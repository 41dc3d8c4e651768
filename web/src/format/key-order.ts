/**
 * Objects of JavaScript list keys that look like integers first, in the order of their numbers. These functions keep the order
 * in which a document has them.
 */

/** An object with these members in this order, also where keys look like integers. The last value of a repeated key counts. */
export function recordOfEntries<Value>(entries: readonly (readonly [string, Value])[]): Record<string, Value> {
  const record = Object.fromEntries(entries);
  const keys = [...new Set(entries.map(([key]) => key))];
  const isKept = Object.keys(record).every((key, index) => key === keys[index]);
  return isKept ? record : ordered(record, keys);
}

/** Parses a document with a parser that makes plain objects, and gives those with other orders theirs. */
export function parseInOrder(text: string, parse: (text: string) => unknown): unknown {
  if (!integerKeyPattern.test(text)) return parse(text);
  parse(text); // its errors name positions in this text
  return restored(parse(marked(text)));
}

/** Its prototype keeps the query cache from copying it as a plain object, which would sort its keys. */
class OrderedRecord {}

/** What a proxy says of its keys is their order everywhere: in loops, in copies of entries and in JSON. */
function ordered<Value>(record: Record<string, Value>, keys: string[]): Record<string, Value> {
  const target = Object.defineProperties(new OrderedRecord(), Object.getOwnPropertyDescriptors(record));
  return new Proxy(target as Record<string, Value>, { ownKeys: () => keys });
}

/** A key of digits, which may be written as escapes. Finding more, in texts, only costs time. */
const integerKeyPattern = /"(?:\d|\\u003\d)+"\s*:/;
/** In front of a key, it makes any key one that JavaScript does not sort. */
const mark = '\uE000';

function marked(text: string): string {
  const pieces: string[] = [];
  let copied = 0;
  for (let quote = text.indexOf('"'); quote >= 0; ) {
    const end = endOfString(text, quote + 1);
    if (isKey(text, end)) {
      pieces.push(text.slice(copied, quote + 1), mark);
      copied = quote + 1;
    }
    quote = text.indexOf('"', end);
  }
  pieces.push(text.slice(copied));
  return pieces.join('');
}

/** The position after the closing quote of a string that begins at `start`. */
function endOfString(text: string, start: number): number {
  for (let at = start; ; at++) {
    const sign = text[at];
    if (sign === '"') return at + 1;
    if (sign === '\\') at++;
  }
}

const whitespace = new Set([' ', '\t', '\n', '\r']);

function isKey(text: string, end: number): boolean {
  let at = end;
  while (whitespace.has(text[at]!)) at++;
  return text[at] === ':';
}

function restored(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(restored);
  const isObject = typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype;
  if (!isObject) return value;
  return recordOfEntries(Object.entries(value).map(([key, member]) => [key.slice(mark.length), restored(member)]));
}
