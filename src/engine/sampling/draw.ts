import { kthLargest } from './select.ts';

export type Filters = { temperature: number; minP: number; topK: number; topP: number };

/**
 * Draws one token from the softmax of logits ÷ temperature, after min_p, top_k and top_p. `uniform` in [0, 1) decides;
 * tokens lie on the line in the order of their ids. −1 when every logit is −∞.
 */
export function drawToken(logits_V: Float32Array, filters: Filters, uniform: number): number {
  const largest = max(logits_V);
  if (largest === -Infinity) return -1;
  const threshold = thresholdOf(logits_V, largest, filters);
  const scale = 1 / filters.temperature;
  if (filters.topP < 1) return drawNucleus(logits_V, largest, threshold, filters, uniform);
  let total = 0;
  for (let id = 0; id < logits_V.length; id++) {
    if (logits_V[id]! >= threshold) total += Math.exp((logits_V[id]! - largest) * scale);
  }
  let left = uniform * total;
  let last = -1;
  for (let id = 0; id < logits_V.length; id++) {
    const logit = logits_V[id]!;
    if (logit < threshold || logit === -Infinity) continue;
    last = id;
    left -= Math.exp((logit - largest) * scale);
    if (left < 0) return id;
  }
  return last;
}

/** min_p and top_k both keep what lies above a logit; values equal to it stay. */
function thresholdOf(logits_V: Float32Array, largest: number, { temperature, minP, topK }: Filters): number {
  const byMinP = minP > 0 ? largest + Math.log(minP) * temperature : -Infinity;
  const byTopK = topK > 0 && topK < logits_V.length ? kthLargest(logits_V, topK) : -Infinity;
  return Math.max(byMinP, byTopK);
}

/** Buckets of an eighth of a nat, down to where f64 probabilities vanish. */
const bucketsPerNat = 8;
const bucketsMax = 750 * bucketsPerNat;

/**
 * top_p keeps a token when the mass of those before it, largest first and lowest id first on ties, is below p. The mass
 * is added up in buckets by size, and only the one bucket in which p is reached is sorted.
 */
function drawNucleus(
  logits_V: Float32Array,
  largest: number,
  threshold: number,
  { temperature, topP }: Filters,
  uniform: number,
): number {
  const scale = 1 / temperature;
  const masses = new Float64Array(bucketsMax);
  const bucketOf = (logit: number) => Math.min(Math.floor((largest - logit) * scale * bucketsPerNat), bucketsMax - 1);
  const isIn = (logit: number) => logit >= threshold && logit !== -Infinity;
  let total = 0;
  for (let id = 0; id < logits_V.length; id++) {
    const logit = logits_V[id]!;
    if (!isIn(logit)) continue;
    const mass = Math.exp((logit - largest) * scale);
    masses[bucketOf(logit)]! += mass;
    total += mass;
  }
  const wanted = topP * total;
  let above = 0;
  let edge = 0;
  while (edge < bucketsMax - 1 && above + masses[edge]! < wanted) above += masses[edge++]!;

  const atEdge: number[] = [];
  const kept: number[] = [];
  for (let id = 0; id < logits_V.length; id++) {
    const logit = logits_V[id]!;
    if (!isIn(logit)) continue;
    const bucket = bucketOf(logit);
    if (bucket < edge) kept.push(id);
    else if (bucket === edge) atEdge.push(id);
  }
  atEdge.sort((a, b) => logits_V[b]! - logits_V[a]! || a - b);
  for (const id of atEdge) {
    if (above >= wanted && kept.length > 0) break;
    kept.push(id);
    above += Math.exp((logits_V[id]! - largest) * scale);
  }
  kept.sort((a, b) => a - b);
  const mass = kept.reduce((sum, id) => sum + Math.exp((logits_V[id]! - largest) * scale), 0);
  let left = uniform * mass;
  for (const id of kept) {
    left -= Math.exp((logits_V[id]! - largest) * scale);
    if (left < 0) return id;
  }
  return kept.at(-1)!;
}

function max(values: Float32Array): number {
  let largest = -Infinity;
  for (let index = 0; index < values.length; index++) if (values[index]! > largest) largest = values[index]!;
  return largest;
}
