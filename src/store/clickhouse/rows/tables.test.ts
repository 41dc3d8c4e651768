import { afterAll, beforeAll, expect, test } from 'vitest';
import { openCallStore } from '../calls/testing/call-store.ts';
import type { ClickHouse } from '../clickhouse.ts';
import { insertLine } from './insert-line.ts';
import { type TableName, tables } from './tables.ts';

let store: { clickhouse: ClickHouse; close(): Promise<void> };
beforeAll(async () => {
  store = await openCallStore();
});
afterAll(() => store.close());

test.each(Object.keys(tables) as TableName[])('the described columns of %s are those of the schema', async (table) => {
  const columns = await store.clickhouse.query<{ name: string; type: string; default_type: string }>(
    `DESCRIBE TABLE ${table}`,
  );
  const inserted = columns.filter(({ name, default_type }) => default_type === '' || name in tables[table]);
  const described = Object.entries(tables[table]).map(([name, { type }]) => ({ name, type }));
  expect(described).toEqual(inserted.map(({ name, type }) => ({ name, type: onOneLine(type) })));
});

const onOneLine = (type: string) => type.replaceAll(/\(\s+/g, '(').replaceAll(/\s+/g, ' ');

test.each([
  ['wb_run_step', '9223372036854775808'],
  ['wb_run_step', '1e30'],
  ['wb_run_step', 1e30],
  ['started_at', 1.5],
  ['started_at', Number.POSITIVE_INFINITY],
  ['started_at', 2 ** 63],
  ['version', -1],
  ['version', 2 ** 64],
  ['mapper_version', 65_536],
  ['is_deleted', 256],
  ['span_inputs_bytes', 2 ** 32],
  ['status', 'finished'],
  ['numbers', { 'i.x': Number.POSITIVE_INFINITY }],
  ['input_refs', [1]],
  ['thread_id', null],
])('%s does not take %j, and the error says so without the value of a text', (column, value) => {
  const { type } = tables.calls[column as keyof typeof tables.calls];
  expect(() => insertLine('calls', { [column]: value })).toThrow(`${column} holds values of type ${type}, found`);
  if (typeof value === 'string') {
    expect(() => insertLine('calls', { [column]: value })).not.toThrow(value);
  }
});

test('lone surrogates become U+FFFD; JSON that spells pairs of them stays as it is', () => {
  const payload = String.raw`{"a":"\ud83d\ude00"}`;
  const line = insertLine('object_values', { project_id: 'cut \ud83d', digest: '\ude00', value: payload });
  expect(JSON.parse(line)).toEqual({ project_id: 'cut \ufffd', digest: '\ufffd', value: payload });
});
