import { readFileSync } from 'node:fs';

const file = new URL('../../../../../docs/clickhouse/grants.sql', import.meta.url);
const grants = [...readFileSync(file, 'utf8').matchAll(/^GRANT (.+) ON (\*|\w+)\.(\S+) TO heddle;$/gm)].map(
  ([, privileges = '', database, table]) => ({ privileges: privileges.split(', '), database, table }),
);
const onTables = new Set(grants.filter(({ table }) => table === '*').flatMap(({ privileges }) => privileges));
const systemTables = new Set(grants.filter(({ database }) => database === 'system').map(({ table }) => table));

const verbs =
  /^(SELECT|WITH|INSERT|CREATE TABLE|CREATE DATABASE|ALTER TABLE|SYSTEM SYNC REPLICA|SYSTEM SYNC DATABASE REPLICA)\b/i;

/** What a user may always do: describe tables that a privilege is for, and stop own statements. */
const needsNothing = /^(SHOW|DESCRIBE|KILL QUERY)\b/;

/** The privilege that a statement needs and `docs/clickhouse/grants.sql` does not give; null if it gives all. */
export function missingPrivilege(statement: string): string | null {
  const sql = statement.replace(/^(\s|\/\*.*?\*\/|--[^\n]*\n)+/, '').replaceAll(/'(?:[^'\\]|\\.)*'/g, "''");
  const system = [...sql.matchAll(/\bsystem\.(\w+)/gi)].find(([, table]) => !systemTables.has(table!));
  if (system) return `SELECT ON ${system[0]}`;
  if (needsNothing.test(sql)) return null;
  if (/\bON CLUSTER\b/.test(sql) && !onTables.has('CLUSTER')) return 'CLUSTER';
  const verb = verbs.exec(sql)?.[1]?.toUpperCase();
  const privilege = verb === 'WITH' ? 'SELECT' : verb;
  return privilege !== undefined && onTables.has(privilege) ? null : (privilege ?? sql.slice(0, 20));
}
