import { expect, test } from 'vitest';
import { openAlone } from './alone.ts';

test('a notice reaches the listeners of its topic before it resolves', async () => {
  const { notify, on } = openAlone();
  const received: (string | null)[] = [];
  on('keys', (key) => received.push(key));
  on('models', () => received.push('model'));
  await notify('keys', 'k1');
  expect(received).toEqual(['k1']);
});

test('a lease is always granted', async () => {
  const { lease } = openAlone();
  const granted = await lease('monitors', 1000);
  expect(granted?.isHeld()).toBe(true);
});
