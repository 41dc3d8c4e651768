import { expect, test } from 'vitest';
import { openTurns } from './turns.ts';

test('work is begun at once while the round of the event loop is short', async () => {
  const turns = openTurns();
  const order: string[] = [];
  setImmediate(() => order.push('the next round'));
  await Promise.all([1, 2, 3].map((each) => turns.nextIfLate().then(() => order.push(`piece ${each}`))));
  expect(order).toEqual(['piece 1', 'piece 2', 'piece 3']);
});

test('in a round that has taken long, the rest waits for rounds of its own, in order', async () => {
  const turns = openTurns();
  const order: string[] = [];
  const blockFor = (ms: number) => {
    for (const endsAt = performance.now() + ms; performance.now() < endsAt; );
  };
  await turns.nextIfLate();
  blockFor(12);
  const pieces = [1, 2].map((each) => turns.nextIfLate().then(() => order.push(`piece ${each}`)));
  const others = [1, 2].map((each) =>
    new Promise<void>((resolve) => {
      const wait = (rounds: number) => (rounds === 0 ? resolve() : setImmediate(wait, rounds - 1));
      setImmediate(wait, each - 1);
    }).then(() => order.push(`others ${each}`)),
  );
  expect(order).toEqual([]);
  await Promise.all([...pieces, ...others]);
  expect(order).toEqual(['piece 1', 'others 1', 'piece 2', 'others 2']);
});
