/** A piece of SQL, and what it reads in addition to its table. */
export type Sql = { sql: string; sources: readonly Source[] };

export type Source =
  /** Rows of another table that are joined: the SQL names their values by `name`. */
  | { kind: 'join'; name: string; sql: string }
  /** A set of ids from another table, read by a subquery. It may be large. */
  | { kind: 'set' };

/** SQL that reads only its table. */
export function plainSql(sql: string): Sql {
  return { sql, sources: [] };
}

/** SQL composed of other pieces, with their sources. */
export function sqlOf(sql: string, ...parts: Pick<Partial<Sql>, 'sources'>[]): Sql {
  return { sql, sources: parts.flatMap(({ sources = [] }) => sources) };
}

/** The joins that these pieces need: each source once. */
export function joinsSql(pieces: Sql[]): string {
  const joins = new Map<string, string>();
  for (const source of pieces.flatMap(({ sources }) => sources)) {
    if (source.kind === 'join') joins.set(source.name, source.sql);
  }
  return [...joins.values()].join(' ');
}
