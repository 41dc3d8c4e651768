/** A piece of SQL, and what it reads beside the table that it is about. */
export type Sql = { sql: string; sources: readonly Source[] };

export type Source =
  /** Rows of another table that are joined: the SQL names their values by `name`. */
  | { kind: 'join'; name: string; sql: string }
  /** A set of ids from another table, asked for inside of the SQL. It may be large. */
  | { kind: 'set' };

/** SQL that reads the table alone. */
export function plainSql(sql: string): Sql {
  return { sql, sources: [] };
}

/** SQL made of other pieces, whose sources it has. */
export function sqlOf(sql: string, ...parts: Pick<Partial<Sql>, 'sources'>[]): Sql {
  return { sql, sources: parts.flatMap(({ sources = [] }) => sources) };
}

/** What is joined so that these pieces find the values they name: each source once. */
export function joinsSql(pieces: Sql[]): string {
  const joins = new Map<string, string>();
  for (const source of pieces.flatMap(({ sources }) => sources)) {
    if (source.kind === 'join') joins.set(source.name, source.sql);
  }
  return [...joins.values()].join(' ');
}
