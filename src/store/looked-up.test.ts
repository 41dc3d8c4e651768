import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { lookUp } from './looked-up.ts';

beforeEach(() => vi.useFakeTimers({ toFake: ['performance'] }));
afterEach(() => vi.useRealTimers());

const minuteLater = () => vi.advanceTimersByTime(60_001);

test('asks at once, and again a minute later when somebody wants it', async () => {
  let asked = 0;
  const found = lookUp(async () => ++asked);
  await vi.waitFor(() => expect(found.latest()).toBe(1));
  minuteLater();
  expect(found.latest()).toBe(1);
  await vi.waitFor(() => expect(found.latest()).toBe(2));
  expect(asked).toBe(2);
});

test('does not ask a server that may be asleep', async () => {
  let asked = 0;
  let isAwake = false;
  const found = lookUp(
    async () => ++asked,
    () => isAwake,
  );
  await vi.waitFor(() => expect(found.latest()).toBe(1));
  minuteLater();
  found.latest();
  expect(asked).toBe(1);
  isAwake = true;
  found.latest();
  expect(asked).toBe(2);
});

test('what cannot be found is unknown', async () => {
  let isBroken = false;
  const found = lookUp(async () => {
    if (isBroken) throw new Error('no right to read it');
    return 1;
  });
  await vi.waitFor(() => expect(found.latest()).toBe(1));
  isBroken = true;
  minuteLater();
  found.latest();
  await vi.waitFor(() => expect(found.latest()).toBeNull());
});
