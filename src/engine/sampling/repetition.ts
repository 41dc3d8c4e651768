/** Pattern sizes in tokens, and how many equal copies in a row end the sequence. */
export type RepetitionDetection = { max_pattern_size: number; min_pattern_size: number; min_count: number };

export function isDetected(output: readonly number[], detection: RepetitionDetection): boolean {
  const { max_pattern_size: longest, min_count: copies } = detection;
  if (longest <= 0 || copies < 2) return false;
  for (let size = Math.max(1, detection.min_pattern_size); size <= longest; size++) {
    if (size * copies > output.length) return false;
    if (repeats(output, size, copies)) return true;
  }
  return false;
}

/** The last `size · copies` tokens are copies if each of them, except the first `size`, equals the token `size` before it. */
function repeats(output: readonly number[], size: number, copies: number): boolean {
  const start = output.length - size * (copies - 1);
  for (let index = output.length - 1; index >= start; index--) if (output[index] !== output[index - size]) return false;
  return true;
}
