/** Strings that Pydantic's lax mode converts to other types. */

/** Null for strings that are not booleans. */
export function readTruth(text: string): boolean | null {
  const word = text.toLowerCase();
  if (['true', '1', 't', 'y', 'yes', 'on'].includes(word)) return true;
  if (['false', '0', 'f', 'n', 'no', 'off'].includes(word)) return false;
  return null;
}

/** Null for strings that are not decimal numbers; infinite for numbers that are too large. */
export function readDecimal(text: string): number | null {
  return /^\s*[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?\s*$/i.test(text) ? Number(text) : null;
}
