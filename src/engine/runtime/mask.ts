/** Added to a score, it leaves nothing of it; not infinity, which would make a row without any score no number. */
const unseen = -1e30;

/**
 * What each of N new tokens of each sequence sees, `[B, 1, N, T + N]`: of the T rows of the cache those that are
 * filled, of the new tokens itself and those before it, and of all these no more than a window where there is one.
 * @param lengths how many rows of its cache each sequence has filled
 */
export function attentionMask(lengths: number[], newTokens: number, rows: number, window: number | null): Float32Array {
  const width = rows + newTokens;
  const mask = new Float32Array(lengths.length * newTokens * width).fill(unseen);
  for (const [b, length] of lengths.entries()) {
    for (let n = 0; n < newTokens; n++) {
      const start = (b * newTokens + n) * width;
      const first = window === null ? 0 : Math.max(length + n + 1 - window, 0);
      mask.fill(0, start + Math.min(first, length), start + length);
      mask.fill(0, start + rows + Math.max(first - length, 0), start + rows + n + 1);
    }
  }
  return mask;
}
