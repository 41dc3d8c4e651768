import type { RepetitionDetection } from '../../engine/sampling/repetition.ts';
import { invalidInput } from '../../util/failures.ts';

/** @returns the contradiction, for a validation entry. @throws Failure for a pattern that is too long */
export function checkRepetitionDetection(detection: RepetitionDetection, patternSizeMax = 2048): string | null {
  const { max_pattern_size, min_pattern_size, min_count } = detection;
  if (max_pattern_size < 0 || min_pattern_size < 0 || min_count < 0) return 'repetition_detection must not be negative';
  if (min_pattern_size > max_pattern_size) return 'min_pattern_size must not be above max_pattern_size';
  if (max_pattern_size > 0 && min_count < 2) return 'min_count must be at least 2';
  if (max_pattern_size > patternSizeMax) {
    throw invalidInput(`max_pattern_size must be at most ${patternSizeMax}.`, { param: 'repetition_detection' });
  }
  return null;
}
