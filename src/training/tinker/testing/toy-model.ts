import type { Reduction } from '../losses/reduction.ts';
import type { DecodedRequest } from './decode-request.ts';

export const vocabSize = 1024;

/** A model whose next token depends on the last one alone: a row of logits for each token, trained by Adam. */
export class ToyModel {
  readonly rows = new Map<number, Float64Array>();
  /** The sums of gradients since the last step: of each request, with its sequences and tokens. */
  parts: { gradient: Map<number, Float64Array>; sequences: number; tokens: number }[] = [];
  #first = new Map<number, Float64Array>();
  #second = new Map<number, Float64Array>();
  #steps = 0;

  logprobs({ tokens, inputs }: DecodedRequest['data'][number]): Float32Array {
    return Float32Array.from(tokens, (token, i) => Math.log(softmax(this.row(token))[inputs.target_tokens![i]!]!));
  }

  row(token: number): Float64Array {
    return this.rows.get(token) ?? baseRow(token);
  }

  /** Adds the gradient of a loss as the server reduces it, but for the division by what other requests bring. */
  add({ data, loss, config }: DecodedRequest, { kind }: Reduction): void {
    const gradient = new Map<number, Float64Array>();
    for (const datum of data) {
      const logprobs = this.logprobs(datum);
      const weights = datum.inputs.weights ?? datum.tokens.map(() => 1);
      const total = weights.reduce((sum, weight) => sum + weight, 0);
      for (const [i, token] of datum.tokens.entries()) {
        const slope = weights[i]! * slopeOf(loss, config, logprobs[i]!, datum.inputs, i);
        if (slope === 0) continue;
        const scaled = kind === 'meanOfMeans' ? slope / total : slope;
        const own = gradient.get(token) ?? new Float64Array(vocabSize);
        gradient.set(token, own);
        for (const [v, p] of softmax(this.row(token)).entries()) own[v]! -= scaled * p;
        own[datum.inputs.target_tokens![i]!]! += scaled;
      }
    }
    const tokens = data.reduce((sum, datum) => sum + datum.tokens.length, 0);
    this.parts.push({ gradient, sequences: data.length, tokens });
  }

  step(adam: Record<string, number>, reduction: Reduction, obeys: { clipping: boolean; decay: boolean }): number {
    const gradient = this.#reduced(reduction);
    this.parts = [];
    const norm = Math.sqrt(
      [...gradient.values()].flatMap((row) => [...row]).reduce((sum, each) => sum + each * each, 0),
    );
    const limit = obeys.clipping && adam.grad_clip_norm! > 0 ? adam.grad_clip_norm! : Number.POSITIVE_INFINITY;
    const scale = Math.min(1, limit / Math.max(norm, 1e-30));
    this.#steps++;
    for (const token of new Set([...gradient.keys(), ...this.rows.keys()])) {
      const [row, base] = [this.row(token).slice(), baseRow(token)];
      const [first, second] = [this.#first, this.#second].map((all) => all.get(token) ?? new Float64Array(vocabSize));
      for (let v = 0; v < vocabSize; v++) {
        const g = scale * (gradient.get(token)?.[v] ?? 0);
        first![v] = adam.beta1! * first![v]! + (1 - adam.beta1!) * g;
        second![v] = adam.beta2! * second![v]! + (1 - adam.beta2!) * g * g;
        const corrected = first![v]! / (1 - adam.beta1! ** this.#steps);
        const spread = Math.sqrt(second![v]! / (1 - adam.beta2! ** this.#steps)) + adam.eps!;
        const kept = obeys.decay ? 1 - adam.learning_rate! * adam.weight_decay! : 1;
        row[v] = base[v]! + kept * (row[v]! - base[v]!) - (adam.learning_rate! * corrected) / spread;
      }
      this.rows.set(token, row);
      this.#first.set(token, first!);
      this.#second.set(token, second!);
    }
    return norm;
  }

  #reduced({ kind, over }: Reduction): Map<number, Float64Array> {
    const total = (of: 'sequences' | 'tokens') => this.parts.reduce((sum, part) => sum + part[of], 0);
    const sum = new Map<number, Float64Array>();
    for (const part of this.parts) {
      const of = kind === 'meanOfTokens' ? 'tokens' : 'sequences';
      const divisor = kind === 'sum' ? 1 : over === 'step' ? total(of) : part[of];
      for (const [token, row] of part.gradient) {
        const own = sum.get(token) ?? new Float64Array(vocabSize);
        sum.set(token, own);
        for (const [v, each] of row.entries()) own[v]! += each / divisor;
      }
    }
    return sum;
  }
}

/** The derivative of a token's loss with respect to its logprob. */
function slopeOf(
  loss: string,
  { clip_low_threshold: low = 0.8, clip_high_threshold: high = 1.2 }: Record<string, number>,
  logprob: number,
  inputs: Record<string, number[]>,
  i: number,
): number {
  if (loss === 'cross_entropy') return -1;
  const [advantage, ratio] = [inputs.advantages![i]!, Math.exp(logprob - inputs.logprobs![i]!)];
  const clipped = Math.min(Math.max(ratio, low), high);
  if (loss === 'cispo') return -clipped * advantage;
  if (loss === 'ppo' && clipped * advantage < ratio * advantage) return 0;
  return -ratio * advantage;
}

function baseRow(token: number): Float64Array {
  return Float64Array.from({ length: vocabSize }, (_, v) => 2 * Math.sin(token * 0.7 + v * 1.3));
}

export function softmax(logits: Float64Array): Float64Array {
  const most = logits.reduce((a, b) => Math.max(a, b));
  const powers = logits.map((each) => Math.exp(each - most));
  const total = powers.reduce((a, b) => a + b);
  return powers.map((each) => each / total);
}
