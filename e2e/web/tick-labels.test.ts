import { expect, test } from 'vitest';
import { tickLabels } from '../../web/src/components/chart/tick-labels.ts';

test('labels the ticks of an axis with as many digits as tell them apart', () => {
  expect(tickLabels([0, 0.25, 0.5])).toEqual(['0', '0.25', '0.5']);
  expect(tickLabels([2000, 4000])).toEqual(['2,000', '4,000']);
  expect(tickLabels([0.54908, 0.5491, 0.54912])).toEqual(['0.54908', '0.5491', '0.54912']);
  expect(tickLabels([1408.2, 1408.4])).toEqual(['1408.2', '1408.4']);
});
