/** What the output must match, in the forms that the grammar library takes; equal constraints are equal strings. */
export type Constraint =
  | { kind: 'json'; schema: string; whitespace: JsonWhitespace }
  | { kind: 'ebnf'; grammar: string }
  | { kind: 'structural_tag'; tag: string };

/** Any white space between JSON tokens, one fixed spacing, or an EBNF expression. */
type JsonWhitespace = 'any' | 'fixed' | { ebnf: string };
