import { expect, test } from 'vitest';
import type { FilteredRun } from './run-fields.ts';
import { readRunFilter } from './run-filter.ts';
import { orderOfValues, readRunOrder } from './run-order.ts';

const wrap = (settings: Record<string, unknown>) =>
  JSON.stringify(Object.fromEntries(Object.entries(settings).map(([key, value]) => [key, { value }])));

const runs: FilteredRun[] = [0, 1, 2, 3].map((index) => ({
  name: `r${index}`,
  displayName: `run-${index}`,
  state: index === 3 ? 'failed' : 'finished',
  config: wrap({ lr: index / 10, deep: { a: index }, 'dotted.key': index, opt: index % 2 ? 'adam' : 'sgd' }),
  summary:
    index === 0 ? '{"loss":Infinity}' : JSON.stringify({ loss: 10 - index, eval: { acc: index }, _runtime: index }),
  tags: [index % 2 ? 'odd' : 'even'],
  notes: null,
  description: null,
  group: index < 2 ? 'a' : 'b',
  jobType: index === 3 ? 'eval' : 'train',
  host: 'host-1',
  commit: null,
  sweepId: index === 3 ? 'sweep-1' : null,
  username: index === 0 ? 'ben' : 'ada',
  createdAt: new Date(Date.UTC(2026, 0, index + 1)),
  heartbeatAt: new Date(Date.UTC(2026, 0, index + 2)),
}));

test.each([
  [{ 'config.lr': 0.1 }, 'r1'],
  [{ 'config.lr.value': { $gt: 0.1 } }, 'r2 r3'],
  [{ 'config.deep.a': { $lte: 1 } }, 'r0 r1'],
  [{ 'config.deep.a.value': 2 }, 'r2'],
  [{ 'config.deep.value.a': 2 }, 'r2'],
  [{ 'config.dotted.key': 3 }, 'r3'],
  [{ 'config.opt': { $regex: '^A', $options: 'i' } }, 'r1 r3'],
  [{ 'config.opt': { $not: { $regex: 'adam' } } }, 'r0 r2'],
  [{ 'config.none': { $exists: false }, 'config.lr': { $exists: true } }, 'r0 r1 r2 r3'],
  [{ 'config.none': null }, 'r0 r1 r2 r3'],
  [{ 'summary_metrics.loss': { $gte: 9 } }, 'r0 r1'],
  [{ 'summary_metrics.eval.acc': { $nin: [1, 2] } }, 'r0 r3'],
  [{ 'summaryMetrics.loss': { $lt: 9, $ne: 8 } }, 'r3'],
  [{ state: 'failed' }, 'r3'],
  [{ display_name: 'run-2' }, 'r2'],
  [{ displayName: { $in: ['run-1', 'run-2'] } }, 'r1 r2'],
  [{ name: { $eq: 'r0' } }, 'r0'],
  [{ group: 'b', jobType: 'train' }, 'r2'],
  [{ tags: { $in: ['odd'] } }, 'r1 r3'],
  [{ tags: 'even' }, 'r0 r2'],
  [{ $or: [{ name: 'r0' }, { $and: [{ tags: 'odd' }, { group: 'a' }] }] }, 'r0 r1'],
  [{ $nor: [{ name: 'r0' }, { state: 'failed' }] }, 'r1 r2'],
  [{ $not: { group: 'a' } }, 'r2 r3'],
  [{ createdAt: { $gte: '2026-01-02T00:00:00Z' }, created_at: { $lt: '2026-01-03' } }, 'r1'],
  [{ heartbeatAt: { $gt: 1_767_400_000 } }, 'r2 r3'],
  [{ username: 'ben' }, 'r0'],
  [{ duration: { $gt: 2 } }, 'r0 r3'],
  [{ host: 'host-1', notes: null, sweep: null }, 'r0 r1 r2'],
  [{ sweep: 'sweep-1' }, 'r3'],
])('the filter %j selects %s', (filter, expected) => {
  const matches = readRunFilter(JSON.stringify(filter))!;
  expect(
    runs
      .filter(matches)
      .map(({ name }) => name)
      .join(' '),
  ).toBe(expected);
});

test.each([
  ['[]', 'must be a JSON object'],
  ['{', 'must be JSON'],
  ['{"colour":"red"}', 'cannot use the field colour'],
  ['{"config":1}', 'cannot use the field config'],
  ['{"$where":"1"}', 'cannot use $where'],
  ['{"config.lr":{"$near":1}}', 'cannot use $near'],
  ['{"config.lr":{"$in":1}}', '$in must have a list'],
  ['{"config.lr":{"$regex":"("}}', 'is not valid'],
  ['{"config.lr":{"$exists":1}}', '$exists must be true or false'],
  ['{"createdAt":{"$gt":"yesterday"}}', 'must be compared with a time'],
])('rejects the filter %s', (filter, message) => {
  expect(() => readRunFilter(filter)).toThrow(message);
});

test('rejects a regular expression that takes too long', () => {
  const matches = readRunFilter('{"config.opt":{"$regex":"^(a+)+$"}}')!;
  expect(() => matches({ ...runs[0]!, config: wrap({ opt: `${'a'.repeat(40)}!` }) })).toThrow('takes too long');
});

test.each([
  ['+summary_metrics.loss', 'r3 r2 r1 r0'],
  ['-config.lr.value', 'r3 r2 r1 r0'],
  ['+config.opt', 'r1 r3 r0 r2'],
  ['-heartbeat_at', 'r3 r2 r1 r0'],
  ['+summary_metrics.eval.acc', 'r1 r2 r3 r0'],
])('orders runs by %s, those without the field last', (order, expected) => {
  const { isAscending, read } = readRunOrder(order);
  const sorted = runs.toSorted((a, b) => orderOfValues(read!(a), read!(b), isAscending));
  expect(sorted.map(({ name }) => name).join(' ')).toBe(expected);
});

test('rejects an order by an unknown field', () => {
  expect(() => readRunOrder('+colour')).toThrow('cannot be ordered by +colour');
});
