import { describe, expect, test } from 'vitest';
import type { Price } from '../prices/price.ts';
import { openPriceBook } from '../prices/price-book.ts';
import type { CallUsage } from './call-usage.ts';
import { rollUp } from './roll-up.ts';
import { usageOf } from './testing/call-usage.ts';
import type { UsageCall } from './usage-call.ts';

const use = (input: number, more: Partial<CallUsage> = {}): CallUsage => usageOf({ input, ...more });
const call = (id: string, parentId: string, usage: CallUsage[], isSpan = false): UsageCall => ({
  ...{ id, parentId, traceId: 't', startedAt: 0, endedAt: 200, isSpan, opName: id, responseId: '', usage },
});

/** The prompt tokens of a call by model `m`, as reported and counted once. */
function tokens(calls: UsageCall[], id: string, model = 'm') {
  const { reported, countedOnce } = rollUp(calls, null).get(id)!;
  return [reported, countedOnce].map((sums) => sums.get(model)?.prompt_tokens);
}

test('a call has its own tokens and those of all below it', () => {
  const calls = [call('r', '', [use(1)]), call('c', 'r', [use(2)]), call('d', 'c', [use(4)]), call('e', 'r', [use(8)])];
  expect(tokens(calls, 'r')[0]).toBe(15);
  expect(tokens(calls, 'c')[0]).toBe(6);
});

describe('counted once', () => {
  test('what an SDK has added to the parents counts for none of them again', () => {
    const sdk = [call('r', '', [use(6)]), call('c', 'r', [use(4)]), call('d', 'c', [use(4)]), call('e', 'r', [use(2)])];
    expect(tokens(sdk, 'r')).toEqual([16, 6]);
    expect(tokens(sdk, 'c')).toEqual([8, 4]);
  });

  test('what a parent used beside its children counts too', () => {
    expect(tokens([call('r', '', [use(10)]), call('c', 'r', [use(4)])], 'r')).toEqual([14, 10]);
  });

  test('what had not ended when its parent did, or was a span, is not in it', () => {
    const late = { ...call('d', 'r', [use(2)]), endedAt: 300 };
    expect(tokens([call('r', '', [use(4)]), call('c', 'r', [use(4)]), late], 'r')).toEqual([10, 6]);
    const span = call('d', 'r', [use(2)], true);
    expect(tokens([call('r', '', [use(4)]), call('c', 'r', [use(4)]), span], 'r')).toEqual([10, 6]);
  });

  test('a parent has in it what its children report, which may be less than they used', () => {
    const late = { ...call('d', 'c', [use(2)]), endedAt: 300 };
    const calls = [call('r', '', [use(5)]), call('c', 'r', [use(4)]), call('e', 'c', [use(4)]), late];
    expect(tokens(calls, 'r')).toEqual([15, 7]);
  });

  test('less than the children used cannot have them in it', () => {
    expect(tokens([call('r', '', [use(3)]), call('c', 'r', [use(4)])], 'r')).toEqual([7, 7]);
    const other = [call('r', '', [use(5, { output: 1 })]), call('c', 'r', [use(4, { output: 2 })])];
    expect(tokens(other, 'r')).toEqual([9, 9]);
  });

  test('spans report what they used themselves, unless it is just what their children used', () => {
    expect(tokens([call('r', '', [use(5)], true), call('c', 'r', [use(4)], true)], 'r')).toEqual([9, 9]);
    expect(tokens([call('r', '', [use(4)], true), call('c', 'r', [use(4)], true)], 'r')).toEqual([4, 4]);
  });

  test('a call that reports nothing has what its children used, by model', () => {
    const calls = [call('r', '', []), call('c', 'r', [use(4), use(2, { model: 'n' })]), call('d', 'r', [use(1)])];
    expect(tokens(calls, 'r')).toEqual([5, 5]);
    expect(tokens(calls, 'r', 'n')).toEqual([2, 2]);
  });
});

describe('a request that two tracers report', () => {
  const span = (id: string, parentId: string, usage: CallUsage, more: Partial<UsageCall> = {}): UsageCall => ({
    ...{ ...call(id, parentId, [usage], true), ...more },
  });
  const total = (calls: UsageCall[]) =>
    [...rollUp(calls, null).get('r')!.countedOnce.values()].reduce((sum, usage) => sum + usage.prompt_tokens, 0);
  const root = call('r', '', []);

  test('counts once where one is inside of the other, by another name of the model and with less detail', () => {
    const inner = span('b', 'a', use(9, { model: 'm-2026', output: 2 }));
    const outer = span('a', 'r', use(9, { output: 2, cacheRead: 4 }));
    expect(total([root, outer, inner])).toBe(9);
    expect([...rollUp([root, outer, inner], null).get('r')!.countedOnce.values()][0]!.cache_read_input_tokens).toBe(4);
  });

  test('counts once where an SDK traces the one and a span is inside of it', () => {
    const sdk = call('a', 'r', [use(9, { output: 2 })]);
    expect(total([root, sdk, span('b', 'a', use(9, { model: 'm-2026', output: 2 }))])).toBe(9);
  });

  test('counts once where both have the id of one response, wherever they are', () => {
    const id = { responseId: 'x' };
    expect(total([root, span('a', 'r', use(9), id), call('g', 'r', []), span('b', 'g', use(9), id)])).toBe(9);
  });

  test('counts once where both are beside each other at the same time', () => {
    const [a, b] = [span('a', 'r', use(9)), span('b', 'r', use(9))];
    expect(total([root, a, b])).toBe(9);
    expect(total([root, { ...a, responseId: 'x' }, { ...b, responseId: 'y' }])).toBe(18);
  });

  test('is two requests where one tracer reports them, or they are of different times or sizes', () => {
    const a = span('a', 'r', use(9));
    expect(total([root, a, { ...a, id: 'b' }])).toBe(18);
    expect(total([root, a, span('b', 'r', use(9), { startedAt: 10_000_000, endedAt: 10_000_200 })])).toBe(18);
    expect(total([root, a, span('b', 'r', use(8))])).toBe(17);
  });
});

test('costs add up at the price of each call', () => {
  const price = (effectiveDate: number, prompt: number): Price => ({
    ...{ prompt, completion: 0, cacheRead: 0, cacheCreation: 0, promptUnit: '', completionUnit: '', level: 'default' },
    ...{ providerId: '', effectiveDate, createdBy: '', createdAt: 0 },
  });
  const boundaries = { times: [100], secondsOfDay: [], promptTokens: [] };
  const book = openPriceBook([], { boundaries, at: (_, time) => (time < 100 ? price(0, 1) : price(100, 10)) });
  const calls = [call('r', '', [use(7)]), { ...call('c', 'r', [use(4)]), startedAt: 100 }];
  const { reported, countedOnce } = rollUp(calls, book).get('r')!;
  expect(reported.get('m')!.prompt_tokens_total_cost).toBe(7 + 40);
  expect(countedOnce.get('m')!.prompt_tokens_total_cost).toBe(3 + 40);
});

test('models with nothing but zeros are left out', () => {
  expect(rollUp([call('r', '', [use(0, { total: 0 })])], null).get('r')!.reported.size).toBe(0);
});

test('a total that is absent or 0 is told from its parts', () => {
  const total = (usage: CallUsage) =>
    rollUp([call('r', '', [usage])], null)
      .get('r')!
      .reported.get('m')!.total_tokens;
  expect(total(use(1, { output: 2, total: 0 }))).toBe(3);
  expect(total(use(1, { output: 2 }))).toBe(3);
  expect(total(use(1, { output: 2, total: 9 }))).toBe(9);
});

test('a chain of a hundred thousand calls is no deeper than memory', () => {
  const chain = Array.from({ length: 100_000 }, (_, i) => call(`c${i}`, i === 0 ? '' : `c${i - 1}`, [use(1)]));
  expect(tokens(chain, 'c0')[0]).toBe(100_000);
});

test('links that go in a circle come to an end', () => {
  const calls = [
    call('a', 'b', [use(1)]),
    call('b', 'a', [use(2)]),
    call('c', 'b', [use(4)]),
    call('s', 's', [use(8)]),
  ];
  expect(tokens(calls, 'a')).toEqual([1, 1]);
  expect(tokens(calls, 'b')).toEqual([6, 6]);
  expect(tokens(calls, 's')).toEqual([8, 8]);
});

test('too many models in a deep chain are refused', () => {
  const chain = Array.from({ length: 1500 }, (_, i) =>
    call(`c${i}`, i === 0 ? '' : `c${i - 1}`, [use(1, { model: `m${i}` })]),
  );
  expect(() => rollUp(chain, null)).toThrow(expect.objectContaining({ kind: 'tooLarge' }));
});
