import type { Layout } from './lay-out.ts';

/** Added to a score to mask it. With infinity, fully masked rows would become NaN. */
const unseen = -1e30;

/** The attention mask, `[B, 1, N, N]`. Padding is masked in both directions. */
export function packedMask({ lines, length }: Layout, window: number | null): Float32Array {
  const mask = new Float32Array(lines.length * length * length).fill(unseen);
  for (const [b, { tokens, positions, groups, parents }] of lines.entries()) {
    for (let q = 0; q < tokens.length; q++) {
      const start = (b * length + q) * length;
      const [group, parent] = [groups[q]!, parents[q]!];
      const first = window === null ? 0 : positions[q]! - window + 1;
      for (let k = 0; k <= q; k++) {
        const other = groups[k]!;
        if ((other === group || other === parent) && positions[k]! >= first) mask[start + k] = 0;
      }
    }
  }
  return mask;
}
