import fc from 'fast-check';
import { afterAll, expect, test } from 'vitest';
import { toDigestList } from '../../../domain/digest/digest-list.ts';
import { closeSharedWorkers } from '../../../util/workers/restarting-worker.ts';
import { insertLine } from '../rows/insert-line.ts';
import { writeLongTable } from '../rows/large-lines.ts';
import { tableLine } from './table-line.ts';

afterAll(closeSharedWorkers);

const table = { projectId: 'p[]', digest: 'd', isComplete: true };
const columns = { project_id: 'p[]', digest: 'd', is_complete: 1 };

test('writes the line that insertLine would, whatever the digests contain', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.string({ unit: 'binary' })), async (digests) => {
      const line = Buffer.from(await tableLine({ ...table, rowDigests: await toDigestList(digests) }));
      expect(JSON.parse(line.toString())).toEqual({ ...columns, row_digests: digests });
      expect(line.toString()).toBe(insertLine('tables', { row_digests: digests, ...columns }));
    }),
  );
});

test('replaces lone surrogates, which the store cannot represent', async () => {
  const line = Buffer.from(await tableLine({ ...table, rowDigests: await toDigestList(['\ud800', 'a\udc00']) }));
  expect(JSON.parse(line.toString()).row_digests).toEqual(['\ufffd', 'a\ufffd']);
});

test('writes the same line in a thread', async () => {
  const digests = Array.from({ length: 10_000 }, (_, n) => String(n).padStart(43, 'x'));
  const line = await writeLongTable({ ...table, rowDigests: await toDigestList(digests) });
  expect(line.toString()).toBe(insertLine('tables', { row_digests: digests, ...columns }));
});
