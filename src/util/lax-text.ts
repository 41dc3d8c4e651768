/** Texts that Pydantic's lax mode reads as values of other kinds. */

/** Null for text that is no truth value. */
export function readTruth(text: string): boolean | null {
  const word = text.toLowerCase();
  if (['true', '1', 't', 'y', 'yes', 'on'].includes(word)) return true;
  if (['false', '0', 'f', 'n', 'no', 'off'].includes(word)) return false;
  return null;
}

/** Null for text that is no decimal number; infinite for one that is too large. */
export function readDecimal(text: string): number | null {
  return /^\s*[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?\s*$/i.test(text) ? Number(text) : null;
}
