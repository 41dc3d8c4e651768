import { JsonSyntaxError } from './errors.ts';

/** Irrelevant strings are skipped without being cut out or decoded. Both look at the encoded form. */
export type StringFilter = {
  lengthMin?: number;
  containing?: string;
};

/**
 * Replaces string values, but never keys, of JSON text that is validated and minified, as `JsonText` is. `key` is the
 * key of the member with this value, null inside arrays and at the root. Strings that `map` returns unchanged keep
 * their exact bytes, and if nothing changes, the text itself is returned.
 */
export function mapStrings(
  text: string,
  map: (value: string, key: string | null) => string,
  { lengthMin = 0, containing }: StringFilter = {},
): string {
  const isRelevant = (raw: string) => containing === undefined || raw.includes(containing);
  let copied = '';
  let copiedTo = 0;
  let key = '';
  for (let start = text.indexOf('"'), end = 0; start !== -1; start = text.indexOf('"', end + 1)) {
    end = closingQuote(text, start);
    // In minified text a colon follows every key and nothing else, and precedes every member's value.
    if (text[end + 1] === ':') {
      key = text.slice(start + 1, end);
      continue;
    }
    if (end - start - 1 < lengthMin) continue;
    const raw = text.slice(start + 1, end);
    if (!isRelevant(raw)) continue;
    const value = decode(raw);
    const mapped = map(value, text[start - 1] === ':' ? decode(key) : null);
    if (mapped === value) continue;
    copied += text.slice(copiedTo, start) + JSON.stringify(mapped);
    copiedTo = end + 1;
  }
  return copiedTo === 0 ? text : copied + text.slice(copiedTo);
}

/** Calls `visit` with every string value, in order. See {@link mapStrings}. */
export function forEachString(
  text: string,
  visit: (value: string, key: string | null) => void,
  filter?: StringFilter,
): void {
  const visitUnchanged = (value: string, key: string | null) => {
    visit(value, key);
    return value;
  };
  mapStrings(text, visitUnchanged, filter);
}

function closingQuote(text: string, start: number): number {
  let end = text.indexOf('"', start + 1);
  while (isEscaped(text, end)) end = text.indexOf('"', end + 1);
  if (end === -1) throw new JsonSyntaxError(`The string that starts at ${start} has no end.`, start);
  return end;
}

/** A quote is escaped if an odd number of backslashes precedes it. */
function isEscaped(text: string, position: number): boolean {
  let first = position;
  while (text[first - 1] === '\\') first--;
  return (position - first) % 2 === 1;
}

function decode(raw: string): string {
  return raw.includes('\\') ? (JSON.parse(`"${raw}"`) as string) : raw;
}
