import { expect, test } from 'vitest';
import { repeatedRequests } from './repeated-requests.ts';
import { usageOf } from './testing/call-usage.ts';
import type { UsageCall } from './usage-call.ts';

const use = (input: number, cacheRead = 0, model = 'm') => [usageOf({ model, input, output: 2, cacheRead })];
const span = (id: string, parentId: string, usage: UsageCall['usage'] = []): UsageCall => ({
  ...{ id, parentId, traceId: 't', startedAt: 0, endedAt: 200, isSpan: true, opName: id, responseId: '', usage },
});
const sdk = (id: string, parentId: string, usage: UsageCall['usage'] = []): UsageCall => ({
  ...span(id, parentId, usage),
  isSpan: false,
});
const repeated = (...calls: UsageCall[]) => [...repeatedRequests(calls)].sort();
const root = span('r', '');

test('of two spans of one request, the one that knows less of the cache is repeated', () => {
  expect(repeated(root, span('a', 'r', use(9)), span('b', 'r', use(9, 4)))).toEqual(['a']);
  expect(repeated(root, span('a', 'r', use(9)), span('b', 'a', use(9, 4)))).toEqual(['a']);
  expect(repeated(root, span('a', 'r', use(9, 4)), span('b', 'a', use(9)))).toEqual(['b']);
});

test('the order in which calls came does not matter', () => {
  const calls = [root, span('w', 'r'), span('a', 'w', use(9)), span('b', 'a', use(9, 4))];
  expect(repeated(...calls)).toEqual(['a']);
  expect(repeated(...calls.toReversed())).toEqual(['a']);
});

test('a span that reports the sum of the requests inside of it is repeated', () => {
  const requests = [span('a', 'w', use(9)), span('b', 'w', use(5))];
  const sum = [{ ...use(14)[0]!, output: 4 }];
  expect(repeated(root, span('w', 'r', sum), ...requests)).toEqual(['w']);
  expect(repeated(root, span('w', 'r', use(14)), ...requests)).toEqual([]);
});

test('a span is repeated where an SDK calls the same request, since sums above contain what the SDK reports', () => {
  const [above, call] = [sdk('s', '', use(9)), sdk('a', 's', use(9))];
  expect(repeated(above, call, span('b', 'a', use(9, 4)))).toEqual(['b']);
  expect(repeated(above, call, span('w', 's'), span('b', 'w', use(9, 4)))).toEqual(['b']);
});

test('what SDKs add to parents is not repeated', () => {
  expect(repeated(sdk('s', '', use(9)), sdk('a', 's', use(9)), sdk('b', 's', use(9)))).toEqual([]);
});

test('equal tokens of one tracer, one inside the other, are two requests', () => {
  const of = (id: string, parentId: string) => ({ ...span(id, parentId, use(9)), opName: 'chat' });
  expect(repeated(root, of('a', 'r'), of('b', 'a'))).toEqual([]);
});

test('equal tokens of two models are two requests; one model may have several names', () => {
  expect(repeated(root, span('a', 'r', use(9, 0, 'gpt-4o')), span('b', 'r', use(9, 0, 'claude')))).toEqual([]);
  expect(
    repeated(root, span('a', 'r', use(9, 0, 'gpt-4o')), span('b', 'r', use(9, 0, 'openai/gpt-4o-2024-08-06'))),
  ).toEqual(['b']);
});

test('calls whose links go in a circle are looked at once', () => {
  expect(repeated(span('a', 'b', use(9)), span('b', 'a', use(9, 4)))).toHaveLength(1);
});
