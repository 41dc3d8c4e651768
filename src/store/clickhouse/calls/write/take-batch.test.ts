import { expect, test } from 'vitest';
import type { CallWrite } from './call-write.ts';
import { takeBatch, type WriteRequest } from './take-batch.ts';

const megabyte = 1024 * 1024;

function requestOf(name: string, count: number, bytesEach: number): WriteRequest {
  const end = { output: 'x'.repeat(bytesEach), summary: '' };
  const writes = Array.from({ length: count }, (_, i) => {
    return { projectId: 'p', id: `${name}${i}`, part: { kind: 'end', end } } as unknown as CallWrite;
  });
  return { writes, results: [], resolve() {}, reject() {} };
}

/** Takes batches while there are any, and returns the ids of each. */
function takeAll(requests: WriteRequest[], held: string[] = []): string[][] {
  const batches: string[][] = [];
  for (let waiting = requests; ; ) {
    const batch = takeBatch(waiting, ({ id }) => held.includes(id));
    if (batch.length === 0) return batches;
    batches.push(batch.flatMap(({ writes }) => writes.map(({ id }) => id)));
    for (const { request, writes } of batch) for (const _ of writes) request.results.push('stored');
    waiting = waiting.filter(({ writes, results }) => results.length < writes.length);
  }
}

test('small requests share a batch', () => {
  expect(takeAll([requestOf('a', 1, 100), requestOf('b', 2, 100)])).toEqual([['a0', 'b0', 'b1']]);
});

test('large requests are taken in their order, in batches of 8 MB', () => {
  const batches = takeAll([requestOf('a', 10, megabyte), requestOf('b', 3, megabyte)]);
  expect(batches.map((ids) => ids.length)).toEqual([8, 5]);
  expect(batches.flat().slice(9, 11)).toEqual(['a9', 'b0']);
});

test('a batch takes at least one write of a request', () => {
  expect(takeAll([requestOf('a', 2, 20 * megabyte)])).toEqual([['a0'], ['a1']]);
});

test('a request waits at a call that another commit holds, and the next requests go on', () => {
  expect(takeAll([requestOf('a', 3, 100), requestOf('b', 2, 100)], ['a1'])).toEqual([['a0', 'b0', 'b1']]);
});
