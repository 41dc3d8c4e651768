import { expect, test, vi } from 'vitest';
import { whenIdle } from './when-idle.ts';

test('what is idle for long enough is ended, and never while anything is under way', () => {
  vi.useFakeTimers();
  const end = vi.fn();
  const idle = whenIdle(end, 100);
  idle.begin();
  idle.begin();
  idle.finish();
  vi.advanceTimersByTime(1000);
  expect(end).not.toHaveBeenCalled();
  idle.finish();
  vi.advanceTimersByTime(99);
  idle.begin();
  vi.advanceTimersByTime(1000);
  idle.finish();
  expect(end).not.toHaveBeenCalled();
  vi.advanceTimersByTime(100);
  expect(end).toHaveBeenCalledOnce();
  vi.useRealTimers();
});
