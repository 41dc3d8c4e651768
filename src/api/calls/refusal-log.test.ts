import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { brokenRule } from '../../util/failures.ts';
import { openRefusalLog } from './refusal-log.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const refusals = (count: number) =>
  Array.from({ length: count }, (_, i) => brokenRule(`reason ${i}`, `The value "secret" broke reason ${i}`));
const message = 'items of batches of calls were refused';

test('the refused items of a batch are one line of the log, with a few reasons', () => {
  const warn = vi.fn();
  openRefusalLog({ warn })(['stored', ...refusals(1000)]);
  expect(warn.mock.calls).toEqual([[{ refused: 1000, reasons: [0, 1, 2, 3, 4].map((i) => `reason ${i}`) }, message]]);
});

test('further refusals are one line every ten seconds, with all that were refused since', () => {
  const warn = vi.fn();
  const logRefused = openRefusalLog({ warn });
  for (let i = 0; i < 1000; i++) logRefused(refusals(2));
  expect(warn).toHaveBeenCalledTimes(1);
  vi.advanceTimersByTime(10_000);
  expect(warn.mock.calls.slice(1)).toEqual([[{ refused: 1998, reasons: ['reason 0', 'reason 1'] }, message]]);
  vi.advanceTimersByTime(60_000);
  logRefused(refusals(1)); // after a quiet time at once
  expect(warn.mock.calls.slice(2)).toEqual([[{ refused: 1, reasons: ['reason 0'] }, message]]);
});

test('a batch without refused items is not logged', () => {
  const warn = vi.fn();
  openRefusalLog({ warn })(['stored', 'stored']);
  expect(warn).not.toHaveBeenCalled();
});
