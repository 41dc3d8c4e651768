/** What the output must match, in the forms that the grammar library takes; equal constraints are equal strings. */
export type Constraint = { kind: 'ebnf'; grammar: string } | { kind: 'structural_tag'; tag: string };
