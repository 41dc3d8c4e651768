/**
 * Why older programs could not work on the schema after a migration; null if they can. Inserts name their columns, so tables may
 * get more of them.
 */
export function additiveFault(sql: string): string | null {
  const statement = statementsOf(sql).find((each) => !harmless.some((form) => form.test(each)));
  return statement === undefined ? null : `older programs may not work after this: ${statement.slice(0, 100)}`;
}

const harmless = [
  /^CREATE TABLE IF NOT EXISTS \w/i,
  /^ALTER TABLE \w+ (ADD (COLUMN|INDEX) IF NOT EXISTS|MATERIALIZE INDEX|MODIFY SETTING) \w/i,
  /^ALTER TABLE \w+ COMMENT /i,
];

/** Without comments and the content of strings. */
function statementsOf(sql: string): string[] {
  return sql
    .replace(/--.*$/gm, '')
    .replace(/'(?:[^'\\]|\\.|'')*'/g, "''")
    .split(';')
    .map((each) => each.replace(/\s+/g, ' ').trim())
    .filter((each) => each !== '');
}
