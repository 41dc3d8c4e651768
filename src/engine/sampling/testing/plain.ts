/** The sampling pipeline, written as it is defined. Slow; the reference for the fast implementation. */
export function plainKept(
  logits: readonly number[],
  { temperature, minP, topK, topP }: { temperature: number; minP: number; topK: number; topP: number },
): Map<number, number> {
  const scaled = logits.map((logit) => logit / temperature);
  let kept = scaled.map((_, id) => id).filter((id) => scaled[id] !== -Infinity);
  const best = Math.max(...softmax(scaled, kept).values());
  const probabilities = softmax(scaled, kept);
  if (minP > 0) kept = kept.filter((id) => probabilities.get(id)! >= minP * best * (1 - 1e-12));
  if (topK > 0) {
    const kth = kept.map((id) => scaled[id]!).sort((a, b) => b - a)[topK - 1] ?? -Infinity;
    kept = kept.filter((id) => scaled[id]! >= kth);
  }
  if (topP < 1) {
    const now = softmax(scaled, kept);
    const ascending = [...kept].sort((a, b) => scaled[a]! - scaled[b]! || b - a);
    let sum = 0;
    const dropped = new Set<number>();
    for (const id of ascending.slice(0, -1)) {
      sum += now.get(id)!;
      if (sum <= 1 - topP) dropped.add(id);
    }
    kept = kept.filter((id) => !dropped.has(id));
  }
  return softmax(scaled, kept);
}

function softmax(scaled: readonly number[], kept: readonly number[]): Map<number, number> {
  const largest = Math.max(...kept.map((id) => scaled[id]!));
  const weights = kept.map((id) => Math.exp(scaled[id]! - largest));
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  return new Map(kept.map((id, index) => [id, weights[index]! / total]));
}
