import { afterAll, expect, test } from 'vitest';
import { Failure } from '../../../../util/failures.ts';
import { newYear, openCallStore, testProject } from '../testing/call-store.ts';

const store = await openCallStore();
afterAll(() => store.close());

const field = (path: string) => JSON.stringify({ $getField: path });
const literal = (value: unknown) => `{"$literal":${JSON.stringify(value)}}`;
const test2 = (operator: string, path: string, value: unknown) => `{"${operator}":[${field(path)},${literal(value)}]}`;

async function failure(promise: Promise<unknown>): Promise<Failure> {
  const error = await promise.then(
    () => null,
    (error: unknown) => error,
  );
  expect(error).toBeInstanceOf(Failure);
  return error as Failure;
}

test('an escaped dot is part of a key [calls 85]', async () => {
  const project = testProject(store.clickhouse);
  await project.write({ id: 'dotted', inputs: '{"a.b":1}' }, { id: 'nested', inputs: '{"a":{"b":1}}' });
  expect(await project.ids({ expr: test2('$eq', 'inputs.a\\.b', 1) })).toEqual(['dotted']);
  expect(await project.ids({ expr: test2('$eq', 'inputs.a.b', 1) })).toEqual(['nested']);
});

test.each([
  ['inputs.x.-1', /Negative index/],
  ['foo', /Allowed are id, project_id/],
  ['summary.weave.foo', /summary\.weave\.status/],
  ['summary.weave.costs', /Unknown field/],
  ['feedback.bad', /feedback\.\[TYPE\]\.payload/],
  ['feedback.[wandb.note.1].id', /feedback\.\[TYPE\]\.payload/],
  ['feedback', /Allowed are/],
  ['annotation_queue_items.queue_id', /goes with \$eq and the id of one queue/],
  ['storage_size_bytes', /Unknown field/],
])('rejects the field %s [calls 86 105]', async (path, message) => {
  const project = testProject(store.clickhouse);
  const error = await failure(project.read({ expr: test2('$eq', path, 1) }));
  expect(error.kind).toBe('unacceptable');
  expect(error.message).toMatch(message);
});

test('an integer in a path is an index of a list and a key of an object', async () => {
  const project = testProject(store.clickhouse);
  await project.write(
    { id: 'list', inputs: '{"x":[{"y":[7,8]}]}' },
    { id: 'object', inputs: '{"x":{"0":{"y":{"1":8}}}}' },
    { id: 'other', inputs: '{"x":{"a":{"y":[8,8]}}}' },
    { id: 'text', inputs: '{"x":"[8]"}' },
  );
  expect(await project.ids({ expr: test2('$eq', 'inputs.x.0.y.1', 8) })).toEqual(['list', 'object']);
});

test('roots have no parent, and children have one [calls 88]', async () => {
  const project = testProject(store.clickhouse);
  await project.write({ id: 'root' }, { id: 'child', parentId: 'root' });
  const isRoot = test2('$eq', 'parent_id', null);
  expect(await project.ids({ expr: isRoot })).toEqual(['root']);
  expect(await project.ids({ expr: `{"$not":[${isRoot}]}` })).toEqual(['child']);
  expect(await project.ids({ expr: `{"$eq":[${literal(null)},${field('parent_id')}]}` })).toEqual([]);
  expect(await project.ids({ expr: `{"$not":[${test2('$eq', 'parent_id', 'other')}]}` })).toEqual(['child']);
  const exists = `{"$convert":{"input":${field('parent_id')},"to":"exists"}}`;
  expect(await project.ids({ expr: `{"$and":[${exists}]}` })).toEqual(['child']);
});

test('finds calls by status and latency [calls 89 90]', async () => {
  const project = testProject(store.clickhouse);
  await project.write(
    { id: 'running', endedAt: null, status: 'running' },
    { id: 'quick', startedAt: newYear, endedAt: newYear + 10_000 },
    { id: 'slow', startedAt: newYear, endedAt: newYear + 1_500_000, status: 'error', exception: 'x' },
  );
  expect(await project.ids({ expr: test2('$eq', 'summary.weave.status', 'running') })).toEqual(['running']);
  expect(await project.ids({ expr: test2('$gt', 'summary.weave.latency_ms', 1000) })).toEqual(['slow']);
  expect(await project.ids({ expr: test2('$eq', 'exception', null) })).toEqual(['quick', 'running']);
});

test('the trace name is the display name, the name of the op, or its text [calls 91]', async () => {
  const project = testProject(store.clickhouse);
  await project.write(
    { id: 'named', displayName: 'my call', opName: 'weave:///e/p/op/f:abc' },
    { id: 'op', opName: 'weave:///e/p/op/f:abc' },
    { id: 'text', opName: 'plain:text' },
  );
  const named = (text: string) =>
    `{"$contains":{"input":${field('summary.weave.trace_name')},"substr":${literal(text)}}}`;
  expect(await project.ids({ expr: named('my call') })).toEqual(['named']);
  expect(await project.ids({ expr: test2('$eq', 'summary.weave.trace_name', 'f') })).toEqual(['op']);
  expect(await project.ids({ expr: test2('$eq', 'summary.weave.trace_name', 'plain:text') })).toEqual(['text']);
});

test('compares with times in seconds, ISO times and dates [calls 92]', async () => {
  const project = testProject(store.clickhouse);
  await project.write({ id: 'before', startedAt: newYear }, { id: 'after', startedAt: newYear + 1 });
  for (const time of [1704067200, 1704067200.0, '2024-01-01T00:00:00Z', '2024-01-01']) {
    expect(await project.ids({ expr: test2('$gt', 'started_at', time) })).toEqual(['after']);
  }
  expect(await project.ids({ expr: `{"$lt":[${literal('2024-01-01')},${field('started_at')}]}` })).toEqual(['after']);
});

test('rejects text that is not a time [calls 93]', async () => {
  const error = await failure(testProject(store.clickhouse).read({ expr: test2('$gt', 'started_at', 'abc') }));
  expect(error.kind).toBe('invalidInput');
});

test('compares numbers in the summary as numbers [calls 94]', async () => {
  const project = testProject(store.clickhouse);
  await project.write(
    { id: 'few', summary: '{"usage":{"m":{"total_tokens":9}}}' },
    { id: 'many', summary: '{"usage":{"m":{"total_tokens":100}}}' },
  );
  expect(await project.ids({ expr: test2('$gt', 'summary.usage.m.total_tokens', 10) })).toEqual(['many']);
});

test('finds text with any character [calls 95]', async () => {
  const project = testProject(store.clickhouse);
  const texts = ['é', '"', '\\', "'", '\n', '%', '_', '{p0:String}', '日本\u0000x', '$1'];
  await project.write(...texts.map((text, i) => ({ id: `c${i}`, inputs: JSON.stringify({ x: `a${text}b` }) })));
  for (const [i, text] of texts.entries()) {
    const contains = `{"$contains":{"input":${field('inputs.x')},"substr":${literal(text)}}}`;
    expect(await project.ids({ expr: contains })).toEqual([`c${i}`]);
    expect(await project.ids({ expr: test2('$eq', 'inputs.x', `a${text}b`) })).toEqual([`c${i}`]);
  }
  const folded = `{"$contains":{"input":${field('inputs.x')},"substr":${literal('AÉB')},"case_insensitive":true}}`;
  expect(await project.ids({ expr: folded })).toEqual(['c0']);
});

test('$in accepts 1,000 refs [calls 95]', async () => {
  const project = testProject(store.clickhouse);
  const refs = Array.from({ length: 1000 }, (_, i) => `weave:///e/p/object/o:${i}`);
  await project.write({ id: 'a', inputs: JSON.stringify({ m: refs[999] }) }, { id: 'b', inputs: '{"m":"other"}' });
  const list = refs.map(literal).join(',');
  expect(await project.ids({ expr: `{"$in":[${field('inputs.m')},[${list}]]}` })).toEqual(['a']);
});

test.each([
  ['a text column with a number', test2('$eq', 'op_name', 5)],
  ['a text column with numbers', `{"$in":[${field('op_name')},[${literal(5)}]]}`],
  ['a number with text', test2('$eq', 'wb_run_step', 'abc')],
  ['text as a condition', `{"$and":[${field('op_name')}]}`],
  ['an empty $and', '{"$and":[]}'],
])('rejects %s', async (_name, expr) => {
  const project = testProject(store.clickhouse);
  expect((await failure((async () => project.read({ expr }))())).kind).toBe('invalidInput');
});

test('searches documents with numbers that exceed a double', async () => {
  const project = testProject(store.clickhouse);
  const big = '123456789012345678901234567890';
  await project.write(
    { id: 'big', inputs: `{"n":${big},"s":"12345678901234567890 1e400 \\"q\\"","list":[1,1e400]}` },
    { id: 'small', inputs: '{"n":123456789012345678901234567891,"s":"x"}' },
  );
  const bigLiteral = `{"$eq":[${field('inputs.n')},{"$literal":${big}}]}`;
  expect(await project.ids({ expr: bigLiteral })).toEqual(['big']);
  expect(await project.ids({ expr: test2('$eq', 'inputs.s', '12345678901234567890 1e400 "q"') })).toEqual(['big']);
  expect(await project.ids({ expr: test2('$eq', 'inputs.list.0', 1) })).toEqual(['big']);
  expect(await project.ids({ expr: test2('$gt', 'inputs.n', 1) })).toEqual(['big', 'small']);
});

test('neither a comparison that does not convert nor its negation matches', async () => {
  const project = testProject(store.clickhouse);
  await project.write({ id: 'step', wbRunStep: '3' }, { id: 'none' });
  expect(await project.ids({ expr: test2('$eq', 'wb_run_step', 3) })).toEqual(['step']);
  expect(await project.ids({ expr: `{"$not":[${test2('$eq', 'wb_run_step', 4)}]}` })).toEqual(['step']);
  expect(await project.ids({ expr: test2('$eq', 'deleted_at', null) })).toEqual(['step', 'none']);
});
