import { expect, test } from 'vitest';
import { threadOrder } from './thread-order.ts';

const threads = Array.from({ length: 200 }, (_, i) => `thread-${i}`);

test('is the same for a seed, whatever the order of the threads, and has each thread once', () => {
  const order = threadOrder(threads, 'seed');
  expect(threadOrder(threads.toReversed(), 'seed')).toEqual(order);
  expect(order.toSorted()).toEqual(threads.toSorted());
});

test('differs between seeds, and mixes threads that are neighbours', () => {
  const order = threadOrder(threads, 'seed');
  expect(threadOrder(threads, 'other')).not.toEqual(order);
  const early = order.slice(0, 100).filter((id) => threads.indexOf(id) < 100).length;
  expect(early).toBeGreaterThan(35);
  expect(early).toBeLessThan(65);
});
