import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { breaksOlder } from '../migrations.ts';
import { additiveFault, concurrentIndex } from './additive.ts';

const folder = new URL('./migrations/', import.meta.url);
/** Before it, one version was all there was. */
const first = 24;

test('each migration is additive, or says that it is not', () => {
  const faults = readdirSync(folder).flatMap((name) => {
    const sql = readFileSync(new URL(name, folder), 'utf8');
    const fault = Number.parseInt(name, 10) < first || breaksOlder(sql) ? null : additiveFault(sql);
    return fault ? `${name}: ${fault}` : [];
  });
  expect(faults, 'see the README of store/postgres').toEqual([]);
});

test.each([
  'CREATE SEQUENCE s; CREATE TABLE t (a text NOT NULL UNIQUE); CREATE UNIQUE INDEX i ON t (a); ALTER TABLE t ADD CHECK (a > 0)',
  "-- DROP TABLE t;\nINSERT INTO t VALUES ('; DROP TABLE t')",
  'ALTER TABLE t ADD COLUMN a text, ADD COLUMN b numeric(3, 2) NOT NULL DEFAULT 0',
  'ALTER TABLE t ADD COLUMN a text REFERENCES other (id) ON DELETE SET NULL',
  'CREATE INDEX CONCURRENTLY i ON t (a) WHERE a IS NOT NULL',
])('%s is additive', (sql) => {
  expect(additiveFault(sql)).toBeNull();
});

test.each([
  'DROP TABLE t',
  'ALTER TABLE t DROP COLUMN a',
  'ALTER TABLE t RENAME COLUMN a TO b',
  'ALTER TABLE t ADD COLUMN a text NOT NULL',
  'ALTER TABLE t ADD COLUMN a text UNIQUE',
  'ALTER TABLE t ADD COLUMN a text, ALTER COLUMN b SET NOT NULL',
  'ALTER TABLE t ALTER COLUMN a TYPE text',
  'ALTER TABLE t ADD CONSTRAINT c CHECK (a > 0)',
  'CREATE INDEX i ON t (a)',
  'CREATE UNIQUE INDEX CONCURRENTLY i ON t (a)',
  'CREATE INDEX CONCURRENTLY i ON t (a); CREATE INDEX CONCURRENTLY j ON t (b)',
  'UPDATE t SET a = 1',
  'DELETE FROM t',
  'CREATE TABLE u (a text); TRUNCATE t',
])('%s is not additive', (sql) => {
  expect(additiveFault(sql)).not.toBeNull();
});

test('an index that is created concurrently is recognized behind a comment', () => {
  expect(concurrentIndex('-- For lists.\nCREATE INDEX CONCURRENTLY by_time\n  ON t (a);')).toBe('by_time');
  expect(concurrentIndex('CREATE INDEX by_time ON t (a)')).toBeNull();
});
