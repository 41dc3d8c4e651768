import { expect, test } from 'vitest';
import { openBatchedInserter } from './batched-inserter.ts';

/** Takes inserts and holds each until it is let go. */
function openSlowStore() {
  const inserts: { table: string; text: string; finish(error?: Error): void }[] = [];
  const insert = (table: string, lines: Buffer) =>
    new Promise<void>((resolve, reject) => {
      inserts.push({ table, text: lines.toString(), finish: (error) => (error ? reject(error) : resolve()) });
    });
  return { inserts, inserter: openBatchedInserter({ insert }) };
}

const settle = () => new Promise((resolve) => setImmediate(resolve));

test('rows that arrive while an insert runs share the next one', async () => {
  const { inserts, inserter } = openSlowStore();
  const done = ['a\n', 'b\n', 'c\n'].map((line) => inserter.insert('tables', line));
  const other = inserter.insert('feedback', 'x\n');
  expect(inserts.map(({ table, text }) => [table, text])).toEqual([
    ['tables', 'a\n'],
    ['feedback', 'x\n'],
  ]);
  inserts[0]!.finish();
  await settle();
  expect(inserts[2]).toMatchObject({ table: 'tables', text: 'b\nc\n' });
  inserts[1]!.finish();
  inserts[2]!.finish();
  await Promise.all([...done, other]);
  await inserter.drain();
});

test('a failed insert fails those who shared it, and no other', async () => {
  const { inserts, inserter } = openSlowStore();
  const first = inserter.insert('tables', 'a\n');
  const second = inserter.insert('tables', 'b\n');
  inserts[0]!.finish(new Error('disk full'));
  await expect(first).rejects.toThrow('disk full');
  await settle();
  inserts[1]!.finish();
  await second;
});
