import { kthLargest } from './select.ts';

export type Filters = { temperature: number; minP: number; topK: number; topP: number };

/** A chosen token, and the logarithm of the probability that it had of being chosen. */
export type Draw = { id: number; logprob: number };

/**
 * Draws a token from the softmax of logits ÷ temperature, after min_p, top_k and top_p. `uniform` is in [0, 1), and tokens are
 * in the order of their ids. Returns null if all logits are −∞.
 */
export function drawToken(logits_V: Float32Array, filters: Filters, uniform: number): Draw | null {
  const largest = max(logits_V);
  if (largest === -Infinity) return null;
  const threshold = thresholdOf(logits_V, largest, filters);
  const weights_V = weightsScratch(logits_V.length);
  const total = weigh(logits_V, weights_V, largest, threshold, filters.temperature);
  const kept = filters.topP < 1 ? keepNucleus(logits_V, weights_V, largest, filters, total) : total;
  const id = pick(weights_V, uniform * kept);
  return { id, logprob: Math.log(weights_V[id]! / kept) };
}

/** The smallest logit that min_p and top_k keep. */
function thresholdOf(logits_V: Float32Array, largest: number, { temperature, minP, topK }: Filters): number {
  const byMinP = minP > 0 ? largest + Math.log(minP) * temperature : -Infinity;
  const byTopK = topK > 0 && topK < logits_V.length ? kthLargest(logits_V, topK) : -Infinity;
  return Math.max(byMinP, byTopK);
}

/** Computes the weight of each token: 1 for the best, 0 below the threshold. Returns their sum. */
function weigh(
  logits_V: Float32Array,
  weights_V: Float64Array,
  largest: number,
  threshold: number,
  temperature: number,
): number {
  const scale = 1 / temperature;
  let total = 0;
  for (let id = 0; id < logits_V.length; id++) {
    const logit = logits_V[id]!;
    const weight = logit >= threshold ? Math.exp((logit - largest) * scale) : 0;
    weights_V[id] = weight;
    total += weight;
  }
  return total;
}

/** Buckets are an eighth of a nat wide, down to where probabilities are 0 in f64. */
const bucketsPerNat = 8;
const bucketsMax = 750 * bucketsPerNat;
const masses = new Float64Array(bucketsMax);

/**
 * top_p keeps a token if the sum of the probabilities before it is below p, largest first and lowest id first on ties.
 * Probabilities are summed in buckets, and only the bucket that reaches p is sorted. Returns the sum that is kept.
 */
function keepNucleus(
  logits_V: Float32Array,
  weights_V: Float64Array,
  largest: number,
  { temperature, topP }: Filters,
  total: number,
): number {
  const scale = bucketsPerNat / temperature;
  const bucketOf = (logit: number) => Math.min((largest - logit) * scale, bucketsMax - 1) | 0;
  masses.fill(0);
  for (let id = 0; id < weights_V.length; id++) {
    if (weights_V[id]! > 0) masses[bucketOf(logits_V[id]!)]! += weights_V[id]!;
  }
  const wanted = topP * total;
  let kept = 0;
  let edge = 0;
  while (edge < bucketsMax - 1 && kept + masses[edge]! < wanted) kept += masses[edge++]!;

  const atEdge: number[] = [];
  for (let id = 0; id < weights_V.length; id++) {
    if (weights_V[id] === 0) continue;
    const bucket = bucketOf(logits_V[id]!);
    if (bucket === edge) atEdge.push(id);
    else if (bucket > edge) weights_V[id] = 0;
  }
  atEdge.sort((a, b) => logits_V[b]! - logits_V[a]! || a - b);
  for (const id of atEdge) {
    if (kept < wanted || kept === 0) kept += weights_V[id]!;
    else weights_V[id] = 0;
  }
  return kept;
}

/** The token at this point of the cumulative weights. Beyond the sum, because of rounding, it is the last token. */
function pick(weights_V: Float64Array, point: number): number {
  let left = point;
  let last = -1;
  for (let id = 0; id < weights_V.length; id++) {
    if (weights_V[id] === 0) continue;
    last = id;
    left -= weights_V[id]!;
    if (left < 0) return id;
  }
  return last;
}

function max(values: Float32Array): number {
  let largest = -Infinity;
  for (let index = 0; index < values.length; index++) if (values[index]! > largest) largest = values[index]!;
  return largest;
}

/** Shared by all rows of a thread, which are drawn from one at a time. */
let shared_V = new Float64Array(0);

function weightsScratch(length: number): Float64Array {
  if (shared_V.length < length) shared_V = new Float64Array(length);
  return shared_V.subarray(0, length);
}
