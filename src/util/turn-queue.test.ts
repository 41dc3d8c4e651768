import { expect, test } from 'vitest';
import { openTurnQueue } from './turn-queue.ts';

test('work is begun at once while the round of the event loop is short', async () => {
  const turns = openTurnQueue();
  const order: string[] = [];
  setImmediate(() => order.push('the next round'));
  await Promise.all([1, 2, 3].map((each) => turns.nextIfLate().then(() => order.push(`piece ${each}`))));
  expect(order).toEqual(['piece 1', 'piece 2', 'piece 3']);
});

test('in a round that has taken long, the rest waits for later rounds, in order', async () => {
  const turns = openTurnQueue();
  const order: string[] = [];
  await turns.nextIfLate();
  blockFor(250);
  const pieces = [1, 2, 3].map(async (each) => {
    await turns.nextIfLate();
    order.push(`piece ${each}`);
    blockFor(250);
  });
  const others = [1, 2].map(async (each) => {
    for (let round = 0; round < each; round++) await nextRound();
    order.push(`others ${each}`);
  });
  expect(order).toEqual([]);
  await Promise.all([...pieces, ...others]);
  expect(order).toEqual(['piece 1', 'others 1', 'piece 2', 'others 2', 'piece 3']);
});

test('short pieces share a round', async () => {
  const turns = openTurnQueue();
  let rounds = 0;
  const count = () => {
    rounds++;
    counter = setImmediate(count);
  };
  let counter = setImmediate(count);
  await Promise.all(Array.from({ length: 1000 }, () => turns.next()));
  clearImmediate(counter);
  expect(rounds).toBeLessThan(100);
});

test('where the rest of a round takes long, so may the pieces', async () => {
  const turns = openTurnQueue();
  let blocked = 0;
  const block = () => {
    blocked++;
    blockFor(60);
    blocker = setImmediate(block);
  };
  let blocker = setImmediate(block);
  await Promise.all(Array.from({ length: 20 }, () => turns.next().then(() => blockFor(6))));
  clearImmediate(blocker);
  expect(blocked).toBeLessThan(8);
});

test('two queues that are never empty do not make rounds longer and longer', async () => {
  let rounds = 0;
  const block = () => {
    rounds++;
    blockFor(20);
    blocker = setImmediate(block);
  };
  let blocker = setImmediate(block);
  const pieces = [openTurnQueue(), openTurnQueue()].flatMap((turns) =>
    Array.from({ length: 100 }, () => turns.next().then(() => blockFor(6))),
  );
  await Promise.all(pieces);
  clearImmediate(blocker);
  expect(rounds).toBeGreaterThan(8); // each queue has 600 ms of work, and 20 ms of each round
});

function nextRound(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(resolve);
  });
}

function blockFor(ms: number): void {
  for (const endsAt = performance.now() + ms; performance.now() < endsAt; );
}
