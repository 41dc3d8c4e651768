/** `parameters` is a JSON schema, as text. */
export type Tool = { type: string; function: { name: string; description?: string; parameters?: string | null } };
