/**
 * Replaces lone surrogates, raw or escaped, with U+FFFD: they have no UTF-8 form, so no store could return them. The
 * length does not change, so positions in error messages still refer to the text as sent.
 */
export function replaceLoneSurrogates(json: string): string {
  const text = json.toWellFormed();
  return escapedSurrogate.test(text) ? text.replace(surrogates, wellFormed) : text;
}

const escapedSurrogate = /\\u[dD][89a-fA-F]/;

/** Also matches escaped backslashes, so that the second one of `\\ud83d` is not taken for the start of an escape. */
const surrogates = /\\\\|\\u[dD][89abAB][\da-fA-F]{2}\\u[dD][c-fC-F][\da-fA-F]{2}|\\u[dD][89a-fA-F][\da-fA-F]{2}/g;

function wellFormed(encoded: string): string {
  const isLone = encoded.length === '\\uXXXX'.length;
  return isLone ? '\\ufffd' : encoded;
}
