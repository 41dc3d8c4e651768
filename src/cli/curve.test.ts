import { expect, test } from 'vitest';
import { curveLines, sparkline } from './curve.ts';

test('shows means if there are more values than columns, and a line if all are equal', () => {
  expect(sparkline([0, 0, 1, 1, 2, 2, 3, 3], 4)).toBe('▁▃▆█');
  expect(sparkline([5, 5, 5], 10)).toBe('▁▁▁');
});

test('aligns curves whatever the length of their names', () => {
  const curves: [string, number[]][] = [
    ['loss', [1, 0.5]],
    ['evaluation/accuracy', [0, 0.25]],
    ['nothing', []],
  ];
  expect(curveLines(curves, 80)).toEqual([
    'loss                     1.00 █▁ 0.500',
    'evaluation/accuracy      0.00 ▁█ 0.250',
  ]);
});
