import { afterEach, expect, test, vi } from 'vitest';
import { openLease } from './lease.ts';

afterEach(() => {
  vi.useRealTimers();
});

test('a lease counts from before its renewal was asked for', () => {
  vi.useFakeTimers();
  const onEnd = vi.fn();
  const lease = openLease(onEnd);
  const renewal = lease.begin();
  vi.advanceTimersByTime(600);
  renewal.end(1000);
  expect(lease.isValid()).toBe(true);
  vi.advanceTimersByTime(399);
  expect(lease.isValid()).toBe(true);
  expect(onEnd).not.toHaveBeenCalled();
  vi.advanceTimersByTime(1);
  expect(lease.isValid()).toBe(false);
  expect(onEnd).toHaveBeenCalledOnce();
});

test('a renewal lets the lease go on', () => {
  vi.useFakeTimers();
  const onEnd = vi.fn();
  const lease = openLease(onEnd);
  for (let round = 0; round < 5; round++) {
    lease.begin().end(1000);
    vi.advanceTimersByTime(900);
    expect(lease.isValid()).toBe(true);
  }
  expect(onEnd).not.toHaveBeenCalled();
});

test('a lease ends although the timer of this process has not run, such as after the machine slept', () => {
  vi.useFakeTimers();
  const lease = openLease(() => {});
  lease.begin().end(1000);
  vi.setSystemTime(Date.now() + 5000);
  expect(lease.isValid()).toBe(false);
});

test('a process that is alone needs no lease', () => {
  vi.useFakeTimers();
  const onEnd = vi.fn();
  const lease = openLease(onEnd);
  lease.begin().end(null);
  vi.advanceTimersByTime(1_000_000);
  expect(lease.isValid()).toBe(true);
  expect(onEnd).not.toHaveBeenCalled();
});
