import { expect, test } from 'vitest';
import { openInTurn } from './in-turn.ts';

test('work begins when the work before it has ended, in the order of the calls', async () => {
  const inTurn = openInTurn();
  const seen: string[] = [];
  const first = Promise.withResolvers<void>();
  const one = inTurn(async () => {
    seen.push('one begins');
    await first.promise;
    seen.push('one ends');
  });
  const two = inTurn(async () => seen.push('two'));
  first.resolve();
  await Promise.all([one, two]);
  expect(seen).toEqual(['one begins', 'one ends', 'two']);
});

test('work that fails reports it to its caller alone', async () => {
  const inTurn = openInTurn();
  const failing = inTurn(async () => {
    throw new Error('broken');
  });
  const next = inTurn(async () => 'next');
  await expect(failing).rejects.toThrow('broken');
  expect(await next).toBe('next');
});
