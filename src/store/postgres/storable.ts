/**
 * Text for PostgreSQL, which stores neither U+0000 nor, in `jsonb`, half of a surrogate pair: both become U+FFFD. For
 * texts that the server writes itself, such as the message of an error that quotes a file. A request with such a text is
 * rejected instead (`refusals.ts`).
 */
export function storableText(text: string): string {
  return text.replaceAll('\0', '\ufffd').toWellFormed();
}

/** The JSON text of a value, for a column of the type `jsonb`. */
export function storableJson(value: unknown): string {
  return JSON.stringify(value).replace(escapes, (found) => (found === '\\\\' ? found : '\\ufffd'));
}

/** Also matches escaped backslashes, whose second one starts no escape. `JSON.stringify` escapes only lone surrogates. */
const escapes = /\\\\|\\u0000|\\ud[89a-f][\da-f]{2}/g;
