import { afterAll, expect, test } from 'vitest';
import { openCallStore, testProject } from '../testing/call-store.ts';

const store = await openCallStore();
afterAll(() => store.close());

test('row 24: a run is found by its name alone and by its whole address', async () => {
  const project = testProject(store.clickhouse);
  await project.write({ id: 'a', wbRunId: `${project.projectName}/run1` }, { id: 'b' });
  expect(await project.ids({ filter: { wb_run_ids: ['run1'] } })).toEqual(['a']);
  expect(await project.ids({ filter: { wb_run_ids: [`${project.projectName}/run1`] } })).toEqual(['a']);
});

test('row 96: a wildcard stands for all versions of one op', async () => {
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

test('row 97: a name without digest does not match one with', async () => {
  const project = testProject(store.clickhouse);
  await project.write({ id: 'plain', opName: 'plain' }, { id: 'f', opName: 'f:digest' });
  expect(await project.ids({ filter: { op_names: ['plain'] } })).toEqual(['plain']);
  expect(await project.ids({ filter: { op_names: ['f'] } })).toEqual([]);
});

test('row 98: a wildcard ref stands for all versions and for places inside them', async () => {
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

test('row 99: empty lists do not filter, but those of threads and turns match nothing', async () => {
  const project = testProject(store.clickhouse);
  await project.write({ id: 'a', threadId: 't', turnId: 'a' });
  expect(await project.ids({ filter: { call_ids: [], trace_ids: [], op_names: [], input_refs: [] } })).toEqual(['a']);
  expect(await project.ids({ filter: { thread_ids: [] } })).toEqual([]);
  expect(await project.ids({ filter: { turn_ids: [] } })).toEqual([]);
  expect(await project.ids({ filter: { thread_ids: ['t'], turn_ids: ['a'] } })).toEqual(['a']);
});

test('row 100: a list of more than a thousand entries is refused', async () => {
  const project = testProject(store.clickhouse);
  const trace_ids = Array.from({ length: 1001 }, (_, i) => `${i}`);
  await expect(project.ids({ filter: { trace_ids } })).rejects.toMatchObject({
    kind: 'invalidInput',
    message: expect.stringMatching(/trace_ids.*1000.*1001/),
  });
  expect(await project.ids({ filter: { wb_user_ids: trace_ids } })).toEqual([]);
});

test('row 101: only true asks for roots', async () => {
  const project = testProject(store.clickhouse);
  await project.write({ id: 'root' }, { id: 'child', parentId: 'root' });
  expect(await project.ids({ filter: { trace_roots_only: false } })).toEqual(['root', 'child']);
  expect(await project.ids({ filter: { trace_roots_only: true } })).toEqual(['root']);
  expect(await project.ids({ filter: { parent_ids: ['root'] } })).toEqual(['child']);
});

test('row 102: all parts of a filter and the query hold at once', async () => {
  const project = testProject(store.clickhouse);
  await project.write({ id: 'a', opName: 'x', traceId: '1' }, { id: 'b', opName: 'x', traceId: '2' }, { id: 'c' });
  const expr = '{"$eq":[{"$getField":"id"},{"$literal":"b"}]}';
  expect(await project.ids({ filter: { op_names: ['x'], trace_ids: ['1', '2'] } })).toEqual(['a', 'b']);
  expect(await project.ids({ filter: { op_names: ['x'], trace_ids: ['2', 't'] }, expr })).toEqual(['b']);
});
