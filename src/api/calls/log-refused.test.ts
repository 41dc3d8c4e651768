import { expect, test, vi } from 'vitest';
import { Failure } from '../../util/failures.ts';
import { logRefused } from './log-refused.ts';

test('the refused items of a batch are one line of the log, with a few reasons', () => {
  const warn = vi.fn();
  const refusals = Array.from({ length: 1000 }, (_, i) => new Failure('invalidInput', `reason ${i % 10}`));
  logRefused({ warn } as never, ['stored', ...refusals]);
  expect(warn.mock.calls).toEqual([
    [{ refused: 1000, reasons: [0, 1, 2, 3, 4].map((i) => `reason ${i}`) }, 'items of a batch of calls were refused'],
  ]);
});

test('a batch without refused items is not logged', () => {
  const warn = vi.fn();
  logRefused({ warn } as never, ['stored', 'stored']);
  expect(warn).not.toHaveBeenCalled();
});
