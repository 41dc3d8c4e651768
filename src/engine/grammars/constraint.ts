/** What the output must match, in a format of the grammar library. Equal constraints have equal strings. */
export type Constraint = { kind: 'ebnf'; grammar: string } | { kind: 'structural_tag'; tag: string };
