/** The white space of JSON, as EBNF: any, one fixed form, or the request's expression. */
export type JsonSpacing = 'any' | 'fixed' | { ebnf: string };

/** The punctuation of JSON with its white space. */
export type Punctuation = {
  comma: string;
  colon: string;
  open: (bracket: string) => string;
  close: (bracket: string) => string;
};

export function punctuationOf(spacing: JsonSpacing): Punctuation {
  if (spacing === 'fixed') {
    const plain = (bracket: string) => `"${bracket}"`;
    return { comma: '", "', colon: '": "', open: plain, close: plain };
  }
  const space = spacing === 'any' ? '[ \\n\\t]*' : `(${spacing.ebnf})`;
  return {
    comma: `${space} "," ${space}`,
    colon: `${space} ":" ${space}`,
    open: (bracket) => `"${bracket}" ${space}`,
    close: (bracket) => `${space} "${bracket}"`,
  };
}
