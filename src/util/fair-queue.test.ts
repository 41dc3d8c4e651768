import fc from 'fast-check';
import { expect, test } from 'vitest';
import { FairQueue } from './fair-queue.ts';

test('owners take turns, and within an owner its parts do', () => {
  const queue = new FairQueue<string>();
  for (const item of ['a1', 'a2', 'a3']) queue.add(['ann', 'a'], item);
  queue.add(['ann', 'b'], 'b1');
  queue.add(['bob', 'c'], 'c1');
  expect(queue.clear()).toEqual(['a1', 'c1', 'b1', 'a2', 'a3']);
  expect([queue.size, queue.next()]).toEqual([0, undefined]);
});

test('an owner that was just served does not go before another that comes later', () => {
  const queue = new FairQueue<string>();
  queue.add(['ann'], 'a1');
  expect(queue.next()).toBe('a1');
  queue.add(['ann'], 'a2');
  queue.add(['ann'], 'a3');
  queue.add(['bob'], 'b1');
  expect(queue.clear()).toEqual(['b1', 'a2', 'a3']);
});

test('an item can be taken out before its turn', () => {
  const queue = new FairQueue<string>();
  queue.add(['ann'], 'a1');
  queue.add(['bob'], 'b1');
  expect([queue.delete(['ann'], 'a1'), queue.delete(['ann'], 'a1'), queue.delete(['bob'], 'a1')]).toEqual([
    true,
    false,
    false,
  ]);
  expect(queue.clear()).toEqual(['b1']);
});

test('in a full queue there is room for owners that have less than an equal share', () => {
  const queue = new FairQueue<number>();
  for (let item = 0; item < 4; item++) queue.add(['ann'], item);
  expect([queue.hasRoomFor('ann', 4), queue.hasRoomFor('bob', 4)]).toEqual([false, true]);
  queue.add(['bob'], 4);
  queue.add(['bob'], 5);
  expect(queue.hasRoomFor('bob', 4)).toBe(false);
});

test('whatever is added is taken out once, and none waits for two of another owner', () => {
  const item = fc.record({ user: fc.constantFrom('a', 'b', 'c'), project: fc.constantFrom('x', 'y') });
  fc.assert(
    fc.property(fc.array(item, { maxLength: 40 }), (items) => {
      const queue = new FairQueue<(typeof items)[number]>();
      for (const each of items) queue.add([each.user, each.project], each);
      expect(queue.size).toBe(items.length);
      const taken = queue.clear();
      expect(new Set(taken)).toEqual(new Set(items));
      for (const [at, { user }] of taken.entries()) {
        const waiting = new Set(taken.slice(at).map((each) => each.user));
        if (waiting.size > 1) expect(taken[at + 1]!.user).not.toBe(user);
      }
    }),
  );
});
