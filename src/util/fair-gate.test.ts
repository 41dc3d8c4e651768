import { expect, test } from 'vitest';
import { FairGate } from './fair-gate.ts';

test('runs no more than allowed at once, in turns of their owners, also after a failure', async () => {
  const gate = new FairGate(1);
  const order: string[] = [];
  let running = 0;
  const work = (name: string) => async () => {
    expect(++running).toBe(1);
    await new Promise((resolve) => setImmediate(resolve));
    order.push(name);
    running--;
    if (name === 'a2') throw new Error('failed');
  };
  const all = [
    ...['a1', 'a2', 'a3'].map((name) => gate.run(['a'], work(name))),
    ...['b1', 'b2'].map((name) => gate.run(['b'], work(name))),
  ];
  const settled = await Promise.allSettled(all);
  expect(settled.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled', 'fulfilled', 'fulfilled']);
  expect(order[0]).toBe('a1');
  expect(order.indexOf('b1')).toBeLessThan(order.indexOf('a3'));
  await gate.run(['a'], work('a4'));
  expect(order.at(-1)).toBe('a4');
});
