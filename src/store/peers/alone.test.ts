import { expect, test } from 'vitest';
import { openAlone } from './alone.ts';

test('work under one key runs in order, also after work that failed; other keys do not wait', async () => {
  const { lock } = openAlone();
  const order: string[] = [];
  const first = Promise.withResolvers<void>();
  const failed = lock('a', () => first.promise.then(() => Promise.reject(new Error('failed'))));
  const second = lock('a', async () => order.push('a'));
  await lock('b', async () => order.push('b'));
  first.resolve();
  await expect(failed).rejects.toThrow('failed');
  await second;
  expect(order).toEqual(['b', 'a']);
});

test('a notice reaches the listeners of its topic before it resolves', async () => {
  const { notify, on } = openAlone();
  const heard: string[] = [];
  on('keys', (key) => heard.push(key));
  on('models', () => heard.push('model'));
  await notify('keys', 'k1');
  expect(heard).toEqual(['k1']);
});

test('a lease is always granted', async () => {
  const { lease } = openAlone();
  expect(await lease('monitors', 1000)).not.toBeNull();
});
