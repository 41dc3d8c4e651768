/**
 * Why a migration is not additive, or would hold up other processes; null if it is. Processes of the version before go on
 * working on the new schema if it only adds what they do not know.
 */
export function additiveFault(sql: string): string | null {
  const statements = statementsOf(sql);
  const created = new Set(statements.flatMap((each) => /^CREATE TABLE (\w+)/i.exec(each)?.[1] ?? []));
  for (const statement of statements) {
    const fault = faultOf(statement, created);
    if (fault) return `${fault}: ${statement.slice(0, 100)}`;
  }
  return statements.length > 1 && concurrentIndex(sql) !== null
    ? 'an index that is created concurrently needs a migration of its own'
    : null;
}

/** The index that a migration creates without a transaction, because others may use its table meanwhile; null for other migrations. */
export function concurrentIndex(sql: string): string | null {
  const [statement = ''] = statementsOf(sql);
  return /^CREATE (?:UNIQUE )?INDEX CONCURRENTLY (\w+) ON /i.exec(statement)?.[1] ?? null;
}

function faultOf(statement: string, created: Set<string>): string | null {
  const [, indexed] = /^CREATE (?:UNIQUE )?INDEX (?:CONCURRENTLY )?\w+ ON (\w+)/i.exec(statement) ?? [];
  if (/^CREATE (TABLE|SEQUENCE) \w+/i.test(statement)) return null;
  if (/^(COMMENT ON|INSERT INTO)/i.test(statement)) return null;
  if (indexed !== undefined) {
    if (created.has(indexed)) return null;
    if (/^CREATE UNIQUE/i.test(statement)) return 'older programs may insert what a unique index refuses';
    return concurrentIndex(statement) ? null : 'create an index of an existing table CONCURRENTLY';
  }
  const [, table, action = ''] = /^ALTER TABLE (\w+) (.*)$/is.exec(statement) ?? [];
  if (table === undefined) return 'only tables, sequences, columns and indexes may be added';
  if (created.has(table)) return null;
  const parts = action.split(/,(?![^(]*\))/).map((part) => part.trim());
  if (!parts.every((part) => /^ADD COLUMN \w/i.test(part))) return 'a table may only get more columns';
  if (parts.some((part) => /\bNOT NULL\b/i.test(part) && !/\bDEFAULT\b/i.test(part)))
    return 'older programs do not set a new column: let it be null, or give it a default';
  return parts.some((part) => /\b(UNIQUE|PRIMARY KEY)\b/i.test(part))
    ? 'older programs may insert what a unique column refuses'
    : null;
}

/** Without comments and the content of strings. */
function statementsOf(sql: string): string[] {
  return sql
    .replace(/--.*$/gm, '')
    .replace(/'(?:[^']|'')*'/g, "''")
    .split(';')
    .map((each) => each.replace(/\s+/g, ' ').trim())
    .filter((each) => each !== '');
}
