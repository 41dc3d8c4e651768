import { globSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

const root = new URL('../../', import.meta.url).pathname;
const schema = readFileSync(new URL('./schema.generated.sql', import.meta.url), 'utf8');
const tables = [...schema.matchAll(/^CREATE TABLE (\w+)/gm)]
  .map((found) => found[1]!)
  .filter((name) => name !== 'schema_migrations'); // ClickHouse has one, too
const bare = new RegExp(`\\b(?:FROM|JOIN|INTO|UPDATE)\\s+(?:${tables.join('|')})\\b`);

test('raw SQL names tables with sql.table, so that a server can add its schema', () => {
  const files = globSync('{store/postgres,services,identity,jobs,finetuning,admin}/**/*.ts', { cwd: root });
  const found = files
    .filter((file) => !/\.test\.ts$|postgres\/migrate\.ts$/.test(file))
    .filter((file) => bare.test(readFileSync(root + file, 'utf8')));
  expect(files.length).toBeGreaterThan(100);
  expect(found).toEqual([]);
});
