import { expect, test } from 'vitest';
import { allOrNone } from './all-or-none.ts';

const never = new AbortController().signal;

test('resolves to all results in the order of the items', async () => {
  expect(await allOrNone([1, 2, 3], async (item) => item * 2, never)).toEqual([2, 4, 6]);
});

test('aborts the others when one fails, and waits for them', async () => {
  const ended: string[] = [];
  const work = (item: string, signal: AbortSignal) => {
    if (item === 'fails') return Promise.reject(new Error('broken'));
    return new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(void ended.push(item))));
  };
  await expect(allOrNone(['a', 'fails', 'b'], work, never)).rejects.toThrow('broken');
  expect(ended).toEqual(['a', 'b']);
});

test('aborts all when the caller does', async () => {
  const leaving = new AbortController();
  const work = (_: number, signal: AbortSignal) =>
    new Promise<never>((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
  const working = allOrNone([1, 2], work, leaving.signal);
  leaving.abort(new Error('gone'));
  await expect(working).rejects.toThrow('gone');
});
