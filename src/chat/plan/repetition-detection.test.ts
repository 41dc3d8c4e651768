import { expect, test } from 'vitest';
import { checkRepetitionDetection } from './repetition-detection.ts';

test('accepts what is off, and reports contradictions [chat 116]', () => {
  const off = { max_pattern_size: 0, min_pattern_size: 0, min_count: 0 };
  expect(checkRepetitionDetection(off)).toBeNull();
  expect(checkRepetitionDetection({ ...off, max_pattern_size: 2, min_pattern_size: 3 })).toMatch(/min_pattern_size/);
  expect(checkRepetitionDetection({ ...off, max_pattern_size: 2, min_count: 1 })).toMatch(/min_count/);
  expect(checkRepetitionDetection({ ...off, max_pattern_size: -1 })).toMatch(/negative/);
});
