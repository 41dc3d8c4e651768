import { expect, test } from 'vitest';
import { breaksOlder, readMigrations } from '../migrations.ts';
import { additiveFault } from './additive.ts';

/** Before it, one process used a store. */
const first = 17;

test('each migration is additive, or says that it is not', () => {
  const migrations = readMigrations(new URL('./migrations/', import.meta.url));
  const faults = migrations.flatMap(({ number, name, sql }) => {
    const fault = number < first || breaksOlder(sql) ? null : additiveFault(sql);
    return fault ? `${name}: ${fault}` : [];
  });
  expect(faults, 'see the README of store/clickhouse').toEqual([]);
});

test.each([
  ['CREATE TABLE IF NOT EXISTS t (a String) ENGINE = MergeTree ORDER BY a', true],
  ["ALTER TABLE t ADD COLUMN IF NOT EXISTS a String DEFAULT '; DROP TABLE t' AFTER b", true],
  ['-- DROP TABLE t;\nALTER TABLE t ADD INDEX IF NOT EXISTS i a TYPE minmax', true],
  ['ALTER TABLE t MODIFY SETTING a = 1', true],
  ['ALTER TABLE t DROP COLUMN a', false],
  ['ALTER TABLE t MODIFY COLUMN a UInt64', false],
  ['ALTER TABLE t ADD COLUMN IF NOT EXISTS a String; ALTER TABLE t RENAME COLUMN b TO c', false],
  ['DROP TABLE t', false],
  ['INSERT INTO t SELECT 1', false],
])('%s: additive %s', (sql, isAdditive) => {
  expect(additiveFault(sql) === null).toBe(isAdditive);
});
