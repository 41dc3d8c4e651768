import { expect, test } from 'vitest';
import { MemoryBudget, MemoryExceeded } from './memory-budget.ts';

const megabyte = 1024 ** 2;

function budgetOf(megabytes: number, machineFree = Number.POSITIVE_INFINITY): MemoryBudget {
  const bytesMax = megabytes * megabyte;
  return new MemoryBudget({ bytesMax, setting: 'HEDDLE_X', machineFreeBytes: () => machineFree * megabyte });
}

test('grants free memory, also memory that was released', () => {
  const budget = budgetOf(100);
  const first = budget.grant('a', 60 * megabyte);
  expect(budget.freeBytes).toBe(40 * megabyte);
  expect(() => budget.grant('b', 50 * megabyte)).toThrow(MemoryExceeded);
  first.resize(50 * megabyte);
  const second = budget.grant('b', 50 * megabyte);
  expect(() => first.resize(60 * megabyte)).toThrow(MemoryExceeded);
  expect([first.bytes, budget.freeBytes]).toEqual([50 * megabyte, 0]);
  second.release();
  first.release();
  first.release();
  expect(budget.freeBytes).toBe(100 * megabyte);
});

test('grants at most the free memory of the machine', () => {
  const budget = budgetOf(100, 10);
  expect(budget.freeBytes).toBe(10 * megabyte);
  expect(() => budget.grant('a', 11 * megabyte)).toThrow(MemoryExceeded);
});

test('reports who needs how much, how much is free, the setting, and who has the rest', () => {
  const budget = budgetOf(100);
  budget.grant('team/helper', 60 * megabyte);
  expect(() => budget.grant('team/other', 50 * megabyte)).toThrow(
    'team/other needs 50 MB of memory, and 40 MB are free. All models together may use 100 MB (HEDDLE_X); team/helper uses 60 MB.',
  );
});

test('frees memory that its user does not need now, one after the other', async () => {
  const budget = budgetOf(100);
  const [first, second, third] = [10, 20, 30].map((megabytes) => budget.grant('a', megabytes * megabyte));
  for (const grant of [first!, second!, third!]) grant.setIdle(async () => grant.release());
  second!.setIdle(null);
  expect([budget.freeBytes, budget.availableBytes]).toEqual([40 * megabyte, 80 * megabyte]);
  expect([await budget.freeIdle(), budget.freeBytes]).toEqual([true, 50 * megabyte]);
  expect([await budget.freeIdle(), budget.freeBytes]).toEqual([true, 80 * megabyte]);
  expect([await budget.freeIdle(), budget.freeBytes]).toEqual([false, 80 * megabyte]);
});
