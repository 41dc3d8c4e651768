/** Added to a score to mask it. With infinity, fully masked rows would become NaN. */
const unseen = -1e30;

/**
 * The mask of N new tokens of each sequence, `[B, 1, N, T + N]`. A token attends to the used rows of the T rows of the cache,
 * to new tokens before it and to itself, within the window if there is one.
 * @param lengths the number of used rows of each sequence
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
