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
  const countedRounds = countRounds(0);
  await Promise.all(Array.from({ length: 1000 }, () => turns.next()));
  expect(countedRounds()).toBeLessThan(100);
});

test('where the rest of a round takes long, so may the pieces', async () => {
  const turns = openTurnQueue();
  const countedRounds = countRounds(60);
  await Promise.all(Array.from({ length: 20 }, () => turns.next().then(() => blockFor(6))));
  expect(countedRounds()).toBeLessThan(8);
});

test('two queues that are never empty do not make rounds longer and longer', async () => {
  const countedRounds = countRounds(20);
  const pieces = [openTurnQueue(), openTurnQueue()].flatMap((turns) =>
    Array.from({ length: 100 }, () => turns.next().then(() => blockFor(6))),
  );
  await Promise.all(pieces);
  expect(countedRounds()).toBeGreaterThan(8); // each queue has 600 ms of work, and 20 ms of each round
});

/** Blocks each round for `blockedMs`. @returns a function that stops this and returns the number of rounds */
function countRounds(blockedMs: number): () => number {
  let rounds = 0;
  const count = () => {
    rounds++;
    blockFor(blockedMs);
    next = setImmediate(count);
  };
  let next = setImmediate(count);
  return () => {
    clearImmediate(next);
    return rounds;
  };
}

function nextRound(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(resolve);
  });
}

function blockFor(ms: number): void {
  for (const endsAt = performance.now() + ms; performance.now() < endsAt; );
}
