import fc from 'fast-check';
import { expect, test } from 'vitest';
import { Failure } from '../../../util/failures.ts';
import { InsertRefused, StoreError } from '../store-error.ts';
import { insertApart } from './insert-apart.ts';

/** Stores all units of an insert or, like ClickHouse, none of them. */
function store({ isBad, isFull = () => false }: { isBad(unit: number): boolean; isFull?(attempt: number): boolean }) {
  const stored: number[] = [];
  let attempts = 0;
  return {
    stored,
    attempts: () => attempts,
    async insert(units: number[]): Promise<void> {
      if (isFull(++attempts)) throw new StoreError('INSERT on t', 243, 'NOT_ENOUGH_SPACE');
      if (units.some(isBad)) throw new InsertRefused('INSERT on t', 27, 'CANNOT_PARSE_INPUT_ASSERTION_FAILED');
      stored.push(...units);
    },
  };
}

const range = (length: number) => Array.from({ length }, (_, i) => i);

test('every unit is stored once, in order, but for those at fault', async () => {
  await fc.assert(
    fc.asyncProperty(fc.nat(40), fc.uniqueArray(fc.nat(39), { maxLength: 5 }), async (length, bad) => {
      const { insert, stored } = store({ isBad: (unit) => bad.includes(unit) });
      const failures = await insertApart(range(length), insert);
      expect(stored).toEqual(range(length).filter((unit) => !bad.includes(unit)));
      expect([...failures.keys()]).toEqual(range(length).filter((unit) => bad.includes(unit)));
      for (const failure of failures.values()) expect(failure).toBeInstanceOf(Failure);
    }),
  );
});

test('a batch that is fine takes one insert, and one bad unit of a thousand few more', async () => {
  const fine = store({ isBad: () => false });
  await insertApart(range(1000), fine.insert);
  expect(fine.attempts()).toBe(1);
  const one = store({ isBad: (unit) => unit === 700 });
  await insertApart(range(1000), one.insert);
  expect(one.attempts()).toBeLessThan(25);
});

test('a failure of the store itself fails all that is left, with no further attempt', async () => {
  const full = store({ isBad: () => false, isFull: () => true });
  const failures = await insertApart(range(100), full.insert);
  expect(full.attempts()).toBe(1);
  expect(failures.size).toBe(100);
  for (const failure of failures.values()) expect(failure).toMatchObject({ code: 243, codeName: 'NOT_ENOUGH_SPACE' });
});

test('a store that fills up half-way has stored what it has stored', async () => {
  const filling = store({ isBad: (unit) => unit === 3, isFull: (attempt) => attempt > 2 });
  const failures = await insertApart(range(4), filling.insert);
  expect(filling.stored).toEqual([0, 1]);
  expect([...failures.keys()].sort()).toEqual([2, 3]);
  for (const failure of failures.values()) expect(failure).not.toBeInstanceOf(Failure);
});
