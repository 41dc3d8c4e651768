import { afterAll, expect, test } from 'vitest';
import { closeSharedWorkers } from '../../../util/workers/restarting-worker.ts';
import { toInsertLine } from '../calls/call-line.ts';
import { plainCall } from '../calls/testing/call-store.ts';
import { insertLine } from './insert-line.ts';
import { parseLargeLine, writeLargeCalls, writeLargeLines } from './large-lines.ts';

afterAll(closeSharedWorkers);

const value = JSON.stringify({ text: 'ü "quoted" \u{1f600} '.repeat(20_000), lone: '\ud800' });
const row = { project_id: 'p', digest: 'd', value };
const call = { ...plainCall('p', 1), id: 'i', inputs: value };

test('the lines that the thread writes are those of small rows', async () => {
  expect((await writeLargeLines('object_values', [row, row])).toString()).toBe(
    insertLine('object_values', row).repeat(2),
  );
  expect((await writeLargeCalls([call, call])).toString()).toBe(toInsertLine(call).repeat(2));
});

test('the thread parses the lines that the store returns', async () => {
  expect(await parseLargeLine(Buffer.from(JSON.stringify(row)))).toEqual(JSON.parse(JSON.stringify(row)));
});

test('a value that its column cannot store is refused as in small rows', async () => {
  const refused = { ...call, version: -1 };
  await expect(writeLargeCalls([refused])).rejects.toThrow(errorOf(() => toInsertLine(refused)));
});

function errorOf(work: () => unknown): Error {
  try {
    work();
  } catch (error) {
    return error as Error;
  }
  throw new Error('nothing was thrown');
}
