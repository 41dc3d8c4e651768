const sequencesMax = 512;
const bytesMax = 4_000_000;
const bytesOfToken = 24;

/** Splits sequences into those of one request each. */
export function splitData<Item extends { tokens: ArrayLike<number> }>(data: readonly Item[]): Item[][] {
  const parts: Item[][] = [];
  let bytes = 0;
  for (const item of data) {
    const own = item.tokens.length * bytesOfToken;
    const last = parts.at(-1);
    if (last && last.length < sequencesMax && bytes + own <= bytesMax) {
      last.push(item);
      bytes += own;
    } else {
      parts.push([item]);
      bytes = own;
    }
  }
  return parts;
}
