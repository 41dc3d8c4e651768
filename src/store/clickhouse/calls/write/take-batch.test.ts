import { expect, test } from 'vitest';
import type { CallWrite } from './call-writer.ts';
import { sizeOfWrites, takeBatch, type WriteRequest } from './take-batch.ts';

const megabyte = 1024 * 1024;

function requestOf(name: string, count: number, bytesEach: number): WriteRequest {
  const end = { output: 'x'.repeat(bytesEach), summary: '' };
  const writes = Array.from({ length: count }, (_, i) => {
    return { projectId: 'p', id: `${name}${i}`, part: { kind: 'end', end } } as unknown as CallWrite;
  });
  return { writes, results: [], bytes: sizeOfWrites(writes), resolve() {}, reject() {} };
}

/** Takes batches until nothing is left, and returns the ids of each. */
function takeAll(requests: WriteRequest[]): string[][] {
  const batches: string[][] = [];
  for (let waiting = requests; waiting.length > 0; ) {
    const batch = takeBatch(waiting);
    batches.push(batch.flatMap(({ writes }) => writes.map(({ id }) => id)));
    for (const { request, writes } of batch) for (const _ of writes) request.results.push('stored');
    waiting = waiting.filter(({ writes, results }) => results.length < writes.length);
  }
  return batches;
}

test('small requests go first, beside a part of a large one', () => {
  const batches = takeAll([requestOf('large', 6, megabyte), requestOf('a', 1, 100), requestOf('b', 2, 100)]);
  expect(batches).toEqual([
    ['a0', 'b0', 'b1', 'large0', 'large1'],
    ['large2', 'large3', 'large4', 'large5'],
  ]);
});

test('large requests are taken in their order, in batches of 8 MB', () => {
  const batches = takeAll([requestOf('a', 10, megabyte), requestOf('b', 3, megabyte)]);
  expect(batches.map((ids) => ids.length)).toEqual([8, 5]);
  expect(batches.flat().slice(9, 11)).toEqual(['a9', 'b0']);
});

test('a batch takes at least one write of a large request', () => {
  expect(takeAll([requestOf('a', 2, 20 * megabyte), requestOf('b', 1, 100)])).toEqual([['b0', 'a0'], ['a1']]);
});
