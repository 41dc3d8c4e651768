import { afterEach, expect, test, vi } from 'vitest';
import { openStoreHealth, type Probes, type StoreHealth } from './store-health.ts';

let health: StoreHealth | undefined;
afterEach(() => health?.close());

function watch(probes: Probes) {
  const changes: [string, string | null][] = [];
  const dead: string[] = [];
  health = openStoreHealth(probes, {
    tickMs: 2,
    onChange: (store, problem) => changes.push([store, problem]),
    onDead: (store) => dead.push(store),
  });
  return { changes, dead, health };
}

test('stores that answer have no problem', async () => {
  let asked = 0;
  const { changes } = watch({ One: async () => asked++ });
  await vi.waitFor(() => expect(asked).toBeGreaterThan(5));
  expect([health!.problems(), changes]).toEqual([[], []]);
});

test('a store that fails is reported once, and once when it answers again', async () => {
  let isBroken = true;
  const { changes } = watch({
    One: async () => {
      if (isBroken) throw new Error('gone\nand a secret');
    },
    Two: async () => {},
  });
  await vi.waitFor(() =>
    expect(health!.problems()).toEqual([{ store: 'One', summary: 'One fails', detail: 'One fails: gone' }]),
  );
  isBroken = false;
  await vi.waitFor(() => expect(health!.problems()).toEqual([]));
  expect(changes).toEqual([
    ['One', 'One fails: gone'],
    ['One', null],
  ]);
});

test('a store that never answers is reported, and then given up once', async () => {
  const { changes, dead } = watch({ One: () => new Promise(() => {}) });
  await vi.waitFor(() => expect(dead).toEqual(['One']));
  expect(changes).toEqual([['One', 'One does not answer']]);
  await new Promise((resolve) => setTimeout(resolve, 20));
  expect(dead).toEqual(['One']);
});

test('a store that answers late, but answers, is not broken', async () => {
  let answers = 0;
  const late = async () => {
    await new Promise((resolve) => setTimeout(resolve, 4));
    answers++;
  };
  const { changes } = watch({ One: late });
  await vi.waitFor(() => expect(answers).toBeGreaterThan(3));
  expect(changes).toEqual([]);
});

test('asking waits for the answers, and no longer than it was told to', async () => {
  watch({ One: () => new Promise(() => {}), Two: async () => {} });
  expect(await health!.ask(10)).toEqual([expect.objectContaining({ summary: 'One does not answer within 10 ms' })]);
});
