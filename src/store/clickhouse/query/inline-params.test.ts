import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, expect, test } from 'vitest';
import { openEmbeddedClickHouse } from '../embedded/embedded-clickhouse.ts';
import { inlineParams } from './inline-params.ts';

const directory = mkdtempSync(join(tmpdir(), 'heddle-test-'));
const clickhouse = openEmbeddedClickHouse(directory);
afterAll(async () => {
  await clickhouse.close();
  rmSync(directory, { recursive: true, force: true });
});

const hostile = [
  "'; DROP TABLE calls; --",
  "\\'; SELECT 1",
  '\\',
  "\\\\'",
  "''",
  '{b:String}',
  '{a:String}',
  '$&$1$`',
  '\0',
  'a\0b',
  '\n\r\t\b\f\v',
  '/* */ --',
  '\u2028',
  '😀',
  '\ufeff',
  '',
];
const texts = fc.oneof(
  fc.constantFrom(...hostile),
  fc.string({ unit: 'binary' }),
  fc.string({
    unit: fc.constantFrom('\\', "'", '"', '`', '\0', '\n', '{', '}', 'a', 'n', 'x', '0', ';', '-', '/', '*'),
  }),
);

test('any text comes back from the engine as it was given, and nothing of it is taken for SQL', async () => {
  await fc.assert(
    fc.asyncProperty(texts, fc.array(texts, { maxLength: 5 }), async (a, b) => {
      const rows = await clickhouse.query(
        'SELECT {a:String} AS a, {b:Array(String)} AS b, length({a:String}) AS bytes, toTypeName(b) AS type',
        { a, b },
      );
      expect(rows).toEqual([{ a, b, bytes: Buffer.byteLength(a), type: 'Array(String)' }]);
    }),
    { numRuns: 300 },
  );
});

test('numbers keep their type and their digits', async () => {
  const [row] = await clickhouse.query<Record<string, unknown>>(
    `SELECT toString({big:Int64}) AS big, toTypeName({big:Int64}) AS bigType, toString({huge:Int256}) AS huge,
       {float:Float64} AS float, isInfinite({infinite:Float64}) AS infinite, {list:Array(Int64)} AS list,
       toTypeName({none:Array(Float64)}) AS none, {small:Array(UInt8)} AS small, {one:UInt32} AS one`,
    {
      ...{ big: '-9223372036854775808', huge: String(2n ** 200n), float: '0.1', infinite: '-inf' },
      ...{ list: [1, -2, 2 ** 40], none: [], small: [0, 1], one: 1 },
    },
  );
  expect(row).toEqual({
    ...{ big: '-9223372036854775808', bigType: 'Int64', huge: String(2n ** 200n), float: 0.1, infinite: 1 },
    ...{ list: [1, -2, 2 ** 40], none: 'Array(Float64)', small: [0, 1], one: 1 },
  });
});

test('a number that is none never reaches the SQL', () => {
  const given = [{ n: "1', 'x" }, { n: '1)' }, { n: '' }, { n: {} }, { n: null }];
  for (const params of given) expect(() => inlineParams('{n:Int64}', params)).toThrow(TypeError);
  expect(() => inlineParams('{n:Array(Int64)}', { n: [1, "2]'"] })).toThrow(TypeError);
});

test('a function, or whatever else is not text, never reaches the SQL', () => {
  for (const value of [Object.prototype.toString, {}, ['a'], 1, undefined, null]) {
    expect(() => inlineParams('{t:String}', { t: value })).toThrow(TypeError);
  }
  expect(() => inlineParams('{constructor:String}', {})).toThrow(/no value was given/);
});
