import { expect, test } from 'vitest';
import { openPasses } from './passes.ts';

test('calls during a pass share the next one', async () => {
  const passes: number[][] = [];
  const double = openPasses(async (items: number[]) => {
    passes.push(items);
    await new Promise((resolve) => setTimeout(resolve, 5));
    return items.map((item) => 2 * item);
  });
  const first = double([1]);
  await Promise.resolve();
  await Promise.resolve();
  const others = [double([2, 3]), double([4])];
  expect(await first).toEqual([2]);
  expect(await Promise.all(others)).toEqual([
    [4, 6, 8],
    [4, 6, 8],
  ]);
  expect(passes).toEqual([[1], [2, 3, 4]]);
});

test('a pass that fails rejects its own calls only', async () => {
  const passes = openPasses(async (items: string[]) => {
    if (items.includes('bad')) throw new Error('bad');
    return items;
  });
  const bad = passes(['bad', 'beside']);
  await expect(bad).rejects.toThrow('bad');
  expect(await passes(['good'])).toEqual(['good']);
});
