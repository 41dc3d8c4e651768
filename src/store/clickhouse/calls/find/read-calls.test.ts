import fc from 'fast-check';
import { afterAll, expect, test } from 'vitest';
import { selectColumns } from '../../../../domain/calls/columns.ts';
import type { SortBy } from '../../../../domain/query/sort-by.ts';
import { sampledRuns } from '../../../../util/testing/sampled-runs.ts';
import { newYear, openCallStore, testProject } from '../testing/call-store.ts';
import { readCallsById } from './read-calls-by-id.ts';

const store = await openCallStore();
afterAll(() => store.close());

const asc = (field: string): SortBy => ({ field, direction: 'asc' });
const desc = (field: string): SortBy => ({ field, direction: 'desc' });

test('returns the oldest call first, ties by id [calls 56]', async () => {
  const project = testProject(store.clickhouse);
  await project.write(
    { id: 'c', startedAt: newYear },
    { id: 'a', startedAt: newYear },
    { id: 'b', startedAt: newYear - 1 },
  );
  expect(await project.ids()).toEqual(['b', 'a', 'c']);
});

test('breaks ties by id descending, unless the last term is an ascending start [calls 57]', async () => {
  const project = testProject(store.clickhouse);
  await project.write(
    { id: 'a', startedAt: newYear },
    { id: 'c', startedAt: newYear },
    { id: 'b', startedAt: newYear },
  );
  expect(await project.ids({ sortBy: [desc('started_at')] })).toEqual(['c', 'b', 'a']);
  expect(await project.ids({ sortBy: [asc('op_name')] })).toEqual(['c', 'b', 'a']);
  expect(await project.ids({ sortBy: [asc('op_name'), asc('started_at')] })).toEqual(['a', 'b', 'c']);
  expect(await project.ids({ sortBy: [desc('started_at'), asc('id')] })).toEqual(['a', 'b', 'c']);
});

test('pages cover every call once, and negative limits and offsets are rejected [calls 59 60]', async () => {
  const project = testProject(store.clickhouse);
  await project.write(...['1', '2', '3', '4', '5'].map((id) => ({ id })));
  expect(await project.ids({ limit: 2, offset: 1 })).toEqual(['2', '3']);
  const pages = await Promise.all([0, 2, 4].map((offset) => project.ids({ limit: 2, offset })));
  expect(pages.flat()).toEqual(['1', '2', '3', '4', '5']);
  expect(await project.ids({ offset: 3 })).toEqual(['4', '5']);
  expect(await project.ids({ limit: 0 })).toEqual([]);
  await expect(project.ids({ limit: -1 })).rejects.toMatchObject({ kind: 'invalidInput' });
  await expect(project.ids({ offset: -1 })).rejects.toMatchObject({ kind: 'invalidInput' });
});

test('columns that are not selected are empty [calls 61]', async () => {
  const project = testProject(store.clickhouse);
  await project.write({ id: 'a', inputs: '{"x":1}', output: '2', attributes: '{"y":3}' });
  const [call] = await project.read({ columns: ['inputs.x'] });
  expect(call).toMatchObject({ inputs: '{"x":1}', output: 'null', attributes: '{}', status: 'success', opName: 'op' });
  expect(() => selectColumns(['nope'])).toThrow(expect.objectContaining({ kind: 'unacceptable' }));
});

test('a query may ask about columns that are not selected [calls 61]', async () => {
  const project = testProject(store.clickhouse);
  const payloads = (word: string) => ({
    inputs: `{"x":"${word} 1"}`,
    output: `"${word} 2"`,
    attributes: `{"y":"${word} 3"}`,
  });
  await project.write({ id: 'a', ...payloads('yes') }, { id: 'b', ...payloads('no') });
  for (const path of ['inputs.x', 'output', 'attributes.y']) {
    const expr = `{"$contains":{"input":{"$getField":"${path}"},"substr":{"$literal":"yes"}}}`;
    expect(await project.ids({ expr, columns: ['op_name'] })).toEqual(['a']);
  }
});

test('returns the size of the payloads, and of the trace on its root [calls 64]', async () => {
  const project = testProject(store.clickhouse);
  await project.write(
    { id: 'root', inputs: '{"x":1}' },
    { id: 'child', parentId: 'root' },
    { id: 'other', traceId: 'u' },
  );
  const [plain] = await project.read({ columns: ['id'] });
  expect(plain).toMatchObject({ storageSizeBytes: null, totalStorageSizeBytes: null });
  const calls = await project.read({ includeStorageSize: true, includeTotalStorageSize: true, columns: ['id'] });
  expect(calls.map((call) => [call.storageSizeBytes, call.totalStorageSizeBytes])).toEqual([
    [15, 25],
    [10, null],
    [10, 10],
  ]);
});

test('running calls are last by latency in both directions [calls 68]', async () => {
  const project = testProject(store.clickhouse);
  await project.write(
    { id: 'running', endedAt: null },
    { id: 'slow', startedAt: newYear, endedAt: newYear + 9000 },
    { id: 'quick', startedAt: newYear, endedAt: newYear + 1000 },
  );
  expect(await project.ids({ sortBy: [asc('summary.weave.latency_ms')] })).toEqual(['quick', 'slow', 'running']);
  expect(await project.ids({ sortBy: [desc('summary.weave.latency_ms')] })).toEqual(['slow', 'quick', 'running']);
});

test('rejects a sort by storage size [calls 69]', async () => {
  const project = testProject(store.clickhouse);
  await expect(project.ids({ sortBy: [asc('storage_size_bytes')] })).rejects.toMatchObject({ kind: 'unacceptable' });
});

test('counts are exact up to the limit [calls 71 72]', async () => {
  const project = testProject(store.clickhouse);
  await project.write(...['1', '2', '3', '4', '5'].map((id) => ({ id })));
  expect(await project.count()).toEqual({ count: 5, hasMore: false, totalStorageSizeBytes: null });
  expect(await project.count({ limit: 3 })).toMatchObject({ count: 3, hasMore: true });
  expect(await project.count({ limit: 6 })).toMatchObject({ count: 5, hasMore: false });
  const nothing = '{"$eq":[{"$getField":"inputs.x"},{"$literal":1}]}';
  expect(await project.count({ limit: 1, expr: nothing })).toMatchObject({ count: 0, hasMore: false });
  await expect(project.count({ limit: -1 })).rejects.toMatchObject({ kind: 'invalidInput' });
});

test('the total size is that of the traces whose roots match [calls 73]', async () => {
  const project = testProject(store.clickhouse);
  await project.write({ id: 'a' }, { id: 'b', parentId: 'a' }, { id: 'c', traceId: 'u', opName: 'other' });
  expect(await project.count({ includeTotalStorageSize: true })).toMatchObject({ totalStorageSizeBytes: 30 });
  const filter = { op_names: ['other'] };
  expect(await project.count({ includeTotalStorageSize: true, filter })).toMatchObject({ totalStorageSizeBytes: 10 });
  expect(await project.count({ includeTotalStorageSize: true, filter: { op_names: ['none'] } })).toMatchObject({
    totalStorageSizeBytes: 0,
  });
});

test('reads a call by its id, but no deleted call and no end alone', async () => {
  const project = testProject(store.clickhouse);
  await project.write({ id: 'a' }, { id: 'deleted' }, { id: 'end', startedAt: 0, isStarted: false });
  await project.write({ id: 'deleted', startedAt: newYear + 1e6, version: 2, isDeleted: true });
  const all = { columns: null, includeStorageSize: true, includeTotalStorageSize: true };
  const read = async (id: string) => {
    const [call] = await readCallsById(store.clickhouse, { projectId: project.projectId, ids: [id], ...all });
    return call ?? null;
  };
  expect(await read('a')).toMatchObject({ id: 'a', storageSizeBytes: 10, totalStorageSizeBytes: 10 });
  expect(await read('deleted')).toBeNull();
  expect(await read('end')).toBeNull();
  expect(await read('none')).toBeNull();
  expect(await project.ids()).toEqual(['a']);
});

test('returns exactly the newest versions in every order, whatever the parts', async () => {
  const version = fc.record({
    call: fc.integer({ min: 0, max: 5 }),
    tag: fc.integer({ min: 0, max: 2 }),
    isDeleted: fc.boolean(),
  });
  const parts = fc.array(fc.array(version, { minLength: 1, maxLength: 6 }), { minLength: 1, maxLength: 4 });
  await fc.assert(
    fc.asyncProperty(parts, async (parts) => {
      const project = testProject(store.clickhouse);
      const newest = new Map<number, { tag: number; isDeleted: boolean }>();
      let number = 0;
      for (const part of parts) {
        await project.write(
          ...part.map(({ call, tag, isDeleted }) => {
            newest.set(call, { tag, isDeleted });
            const at = { startedAt: newYear + Math.floor(call / 2), id: `c${call}` };
            return { ...at, version: ++number, inputs: `{"tag":${tag}}`, isDeleted };
          }),
        );
      }
      const matching = [...newest]
        .filter(([, { tag, isDeleted }]) => tag === 1 && !isDeleted)
        .map(([call]) => `c${call}`);
      matching.sort();
      const expr = '{"$eq":[{"$getField":"inputs.tag"},{"$literal":1}]}';
      expect(await project.ids({ expr })).toEqual(matching);
      expect(await project.ids({ expr, limit: 2 })).toEqual(matching.slice(0, 2));
      expect(await project.ids({ expr, offset: 1 })).toEqual(matching.slice(1));
      expect(await project.ids({ expr, sortBy: [desc('started_at')] })).toEqual(matching.toReversed());
      expect(await project.ids({ expr, sortBy: [desc('started_at')], limit: 1 })).toEqual(matching.slice(-1));
      expect(await project.ids({ expr, sortBy: [desc('inputs.tag')] })).toEqual(matching.toReversed());
      expect((await project.count({ expr })).count).toBe(matching.length);
    }),
    { numRuns: sampledRuns(40) },
  );
});

test('returns many pages in order', async () => {
  const project = testProject(store.clickhouse);
  const ids = Array.from({ length: 2500 }, (_, i) => `c${String(i).padStart(4, '0')}`);
  await project.write(...ids.map((id) => ({ id })));
  expect(await project.ids()).toEqual(ids);
  expect(await project.ids({ sortBy: [desc('id')] })).toEqual(ids.toReversed());
  expect(await project.ids({ sortBy: [desc('started_at')], limit: 1500 })).toEqual(ids.toReversed().slice(0, 1500));
});

test('reads calls of any time, to the microsecond', async () => {
  const project = testProject(store.clickhouse);
  const times = [-2e15 + 1, -1, 0, 999_999_999_999_999, 1e15, 1e15 + 1, newYear + 123_456, 8e15 + 1];
  await project.write(...times.map((startedAt, i) => ({ id: `c${i}`, startedAt })));
  expect((await project.read()).map(({ startedAt }) => startedAt)).toEqual(times);
  for (const from of [4, 6, 7]) {
    const filter = { call_ids: times.slice(from).map((_, i) => `c${i + from}`) };
    expect((await project.read({ filter })).map(({ startedAt }) => startedAt)).toEqual(times.slice(from));
  }
});

test('a repeated read sees what was written, changed and deleted since', async () => {
  const project = testProject(store.clickhouse);
  await project.write({ id: 'a' }, { id: 'b' }, { id: 'c' }, { id: 'd' });
  const newest = () => project.ids({ sortBy: [desc('started_at')], limit: 2, filter: { op_names: ['op'] } });
  const oldest = () => project.ids({ limit: 2, filter: { op_names: ['op'] } });
  const both = async () => [await newest(), await oldest()];
  expect(await both()).toEqual([
    ['d', 'c'],
    ['a', 'b'],
  ]);
  await project.write({ id: 'e' }, { id: 'early', startedAt: newYear - 1 });
  expect(await both()).toEqual([
    ['e', 'd'],
    ['early', 'a'],
  ]);
  const start = (n: number) => newYear + n * 1e6;
  await project.write({ id: 'd', startedAt: start(3), version: 2, opName: 'other' });
  expect(await both()).toEqual([
    ['e', 'c'],
    ['early', 'a'],
  ]);
  await project.write(
    { id: 'e', startedAt: start(4), version: 2, isDeleted: true },
    { id: 'early', startedAt: newYear - 1, version: 2, isDeleted: true },
  );
  expect(await both()).toEqual([
    ['c', 'b'],
    ['a', 'b'],
  ]);
  expect(await both()).toEqual([
    ['c', 'b'],
    ['a', 'b'],
  ]);
});
