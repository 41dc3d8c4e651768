import { kthLargest } from './select.ts';

export type Filters = { temperature: number; minP: number; topK: number; topP: number };

/**
 * Draws one token from the softmax of logits ÷ temperature, after min_p, top_k and top_p. `uniform` in [0, 1) decides;
 * tokens are in the order of their ids. −1 when every logit is −∞.
 */
export function drawToken(logits_V: Float32Array, filters: Filters, uniform: number): number {
  const largest = max(logits_V);
  if (largest === -Infinity) return -1;
  const threshold = thresholdOf(logits_V, largest, filters);
  const weights_V = weightsScratch(logits_V.length);
  const total = weigh(logits_V, weights_V, largest, threshold, filters.temperature);
  const kept = filters.topP < 1 ? keepNucleus(logits_V, weights_V, largest, filters, total) : total;
  return pick(weights_V, uniform * kept);
}

/** min_p and top_k both keep the logits from a threshold on. */
function thresholdOf(logits_V: Float32Array, largest: number, { temperature, minP, topK }: Filters): number {
  const byMinP = minP > 0 ? largest + Math.log(minP) * temperature : -Infinity;
  const byTopK = topK > 0 && topK < logits_V.length ? kthLargest(logits_V, topK) : -Infinity;
  return Math.max(byMinP, byTopK);
}

/** Writes what each token weighs, the best 1 and those below the threshold 0, and returns the sum. */
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

/** Buckets of an eighth of a nat, down to where f64 probabilities vanish. */
const bucketsPerNat = 8;
const bucketsMax = 750 * bucketsPerNat;
const masses = new Float64Array(bucketsMax);

/**
 * top_p keeps a token when the mass of those before it, largest first and lowest id first on ties, is below p. The mass
 * is added up in buckets by size, and only the one bucket in which p is reached is sorted. Returns the mass kept.
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

/** The token at this point of the cumulative weights. A rest from rounding belongs to the last token. */
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

/** One row is drawn from at a time, so all rows of a thread share the weights. */
let shared_V = new Float64Array(0);

function weightsScratch(length: number): Float64Array {
  if (shared_V.length < length) shared_V = new Float64Array(length);
  return shared_V.subarray(0, length);
}
