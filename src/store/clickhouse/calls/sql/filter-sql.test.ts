import { afterAll, expect, test } from 'vitest';
import { openCallStore, testProject } from '../testing/call-store.ts';

const store = await openCallStore();
afterAll(() => store.close());

test('finds a run by its name and by its full name [calls 24]', async () => {
  const project = testProject(store.clickhouse);
  await project.write({ id: 'a', wbRunId: `${project.projectName}/run1` }, { id: 'b' });
  expect(await project.ids({ filter: { wb_run_ids: ['run1'] } })).toEqual(['a']);
  expect(await project.ids({ filter: { wb_run_ids: [`${project.projectName}/run1`] } })).toEqual(['a']);
});

test('a wildcard matches every version of one op [calls 96]', async () => {
  const project = testProject(store.clickhouse);
  const op = (name: string) => `weave:///e/p/op/${name}`;
  await project.write(
    { id: 'f1', opName: op('f:1') },
    { id: 'f2', opName: op('f:2') },
    { id: 'g', opName: op('f2:1') },
    { id: 'h', opName: op('fx:1') },
  );
  expect(await project.ids({ filter: { op_names: [op('f:*')] } })).toEqual(['f1', 'f2']);
  expect(await project.ids({ filter: { op_names: [op('f:*'), op('fx:1')] } })).toEqual(['f1', 'f2', 'h']);
  expect(await project.ids({ filter: { op_names: ['weave:///e/p/op/_:*'] } })).toEqual([]);
});

test('a name without a digest does not match a name with one [calls 97]', async () => {
  const project = testProject(store.clickhouse);
  await project.write({ id: 'plain', opName: 'plain' }, { id: 'f', opName: 'f:digest' });
  expect(await project.ids({ filter: { op_names: ['plain'] } })).toEqual(['plain']);
  expect(await project.ids({ filter: { op_names: ['f'] } })).toEqual([]);
});

test('a wildcard ref matches every version and places inside it [calls 98]', async () => {
  const project = testProject(store.clickhouse);
  const ref = (tail: string) => `weave:///e/p/object/${tail}`;
  await project.write(
    { id: 'a', inputRefs: [ref('x:9'), ref('m:1')] },
    { id: 'b', inputRefs: [ref('m:2/attr/rows/id/3')] },
    { id: 'c', inputRefs: [ref('m2:1')] },
    { id: 'd', outputRefs: [ref('m:1')] },
  );
  expect(await project.ids({ filter: { input_refs: [ref('m:*')] } })).toEqual(['a', 'b']);
  expect(await project.ids({ filter: { input_refs: [ref('m:1')] } })).toEqual(['a']);
  expect(await project.ids({ filter: { output_refs: [ref('m:*'), ref('z:1')] } })).toEqual(['d']);
});

test('empty lists do not filter, but empty thread_ids and turn_ids match nothing [calls 99]', async () => {
  const project = testProject(store.clickhouse);
  await project.write({ id: 'a', threadId: 't', turnId: 'a' });
  expect(await project.ids({ filter: { call_ids: [], trace_ids: [], op_names: [], input_refs: [] } })).toEqual(['a']);
  expect(await project.ids({ filter: { thread_ids: [] } })).toEqual([]);
  expect(await project.ids({ filter: { turn_ids: [] } })).toEqual([]);
  expect(await project.ids({ filter: { thread_ids: ['t'], turn_ids: ['a'] } })).toEqual(['a']);
});

test('rejects more than 1,000 trace_ids [calls 100]', async () => {
  const project = testProject(store.clickhouse);
  const trace_ids = Array.from({ length: 1001 }, (_, i) => `${i}`);
  await expect(project.ids({ filter: { trace_ids } })).rejects.toMatchObject({
    kind: 'invalidInput',
    message: expect.stringMatching(/trace_ids.*1000.*1001/),
  });
  expect(await project.ids({ filter: { wb_user_ids: trace_ids } })).toEqual([]);
});

test('trace_roots_only filters only if it is true [calls 101]', async () => {
  const project = testProject(store.clickhouse);
  await project.write({ id: 'root' }, { id: 'child', parentId: 'root' });
  expect(await project.ids({ filter: { trace_roots_only: false } })).toEqual(['root', 'child']);
  expect(await project.ids({ filter: { trace_roots_only: true } })).toEqual(['root']);
  expect(await project.ids({ filter: { parent_ids: ['root'] } })).toEqual(['child']);
});

test('all filter fields and the query must match [calls 102]', async () => {
  const project = testProject(store.clickhouse);
  await project.write({ id: 'a', opName: 'x', traceId: '1' }, { id: 'b', opName: 'x', traceId: '2' }, { id: 'c' });
  const expr = '{"$eq":[{"$getField":"id"},{"$literal":"b"}]}';
  expect(await project.ids({ filter: { op_names: ['x'], trace_ids: ['1', '2'] } })).toEqual(['a', 'b']);
  expect(await project.ids({ filter: { op_names: ['x'], trace_ids: ['2', 't'] }, expr })).toEqual(['b']);
});
