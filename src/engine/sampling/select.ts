/** The id of the largest logit, the lowest on ties; −1 if all logits are −∞. */
export function argmax(logits_V: Float32Array): number {
  let best = -1;
  let largest = -Infinity;
  for (let id = 0; id < logits_V.length; id++) {
    if (logits_V[id]! > largest) {
      largest = logits_V[id]!;
      best = id;
    }
  }
  return best;
}

/**
 * The k-th largest value, without sorting. Values are counted by the upper half of their bits, then those in the bucket with
 * the k-th value by the lower half: two passes for any k.
 */
export function kthLargest(values: Float32Array, k: number): number {
  if (k >= values.length) return -Infinity;
  const bits = new Uint32Array(values.buffer, values.byteOffset, values.length);
  upper.fill(0);
  for (let index = 0; index < bits.length; index++) upper[ordered(bits[index]!) >>> 16]!++;
  const [bucket, above] = bucketOfRank(upper, k);
  lower.fill(0);
  for (let index = 0; index < bits.length; index++) {
    const order = ordered(bits[index]!);
    if (order >>> 16 === bucket) lower[order & 0xffff]!++;
  }
  const [rest] = bucketOfRank(lower, k - above);
  return fromOrdered(((bucket << 16) | rest) >>> 0);
}

/** The ids of the k largest values, largest first and lowest id first on ties. */
export function topIds(values: Float32Array, k: number): number[] {
  if (k <= 0) return [];
  const threshold = kthLargest(values, k);
  const above: number[] = [];
  const ties: number[] = [];
  for (let id = 0; id < values.length; id++) {
    if (values[id]! > threshold) above.push(id);
    else if (values[id]! === threshold && ties.length < k) ties.push(id);
  }
  above.sort((a, b) => values[b]! - values[a]! || a - b);
  return [...above, ...ties].slice(0, k);
}

const upper = new Uint32Array(1 << 16);
const lower = new Uint32Array(1 << 16);

/** The bucket with the k-th entry from the top, and how many entries are above it. */
function bucketOfRank(counts: Uint32Array, k: number): [bucket: number, above: number] {
  let above = 0;
  for (let bucket = counts.length - 1; bucket > 0; bucket--) {
    if (above + counts[bucket]! >= k) return [bucket, above];
    above += counts[bucket]!;
  }
  return [0, above];
}

/** Maps the bits of a float to an unsigned number with the same order. */
function ordered(bits: number): number {
  return (bits & 0x80000000 ? ~bits : bits | 0x80000000) >>> 0;
}

const word = new Uint32Array(1);
const float = new Float32Array(word.buffer);

function fromOrdered(order: number): number {
  word[0] = order & 0x80000000 ? order & 0x7fffffff : ~order;
  return float[0]!;
}
