import { adjustLogits, applyMask, hasAdjustments, hasPenalties } from './adjust-logits.ts';
import { type Draw, drawToken } from './draw.ts';
import { logprobMin, logprobsAt, type PositionLogprobs } from './logprobs.ts';
import { isGreedy, type SamplingParameters, usableTemperature } from './parameters.ts';
import { uniformAt } from './random.ts';
import { argmax } from './select.ts';

/** The highest logits of a row, best first, and the log-sum-exp of the whole row, as computed by a model's graph. */
export type TopLogits = { tokens: ArrayLike<number>; logits: ArrayLike<number>; logSumExp: number };

export type Sampled = {
  id: number;
  /** Of the model, whatever the sampling. */
  logprobs: PositionLogprobs | null;
  /** The token's logprob in the distribution that it was drawn from; 0 for greedy sampling. */
  drawnLogprob: number;
};

/** Chooses the tokens of one sequence, each from one row of logits. */
export class Sampler {
  readonly parameters: SamplingParameters;
  readonly output: number[] = [];
  readonly #seen = new Map<number, number>();
  readonly #topLogprobs: number | null;
  readonly #hasAdjustments: boolean;

  /** `topLogprobs`: the number of alternatives to report with each token; −1 for all, null for no logprobs. */
  constructor(parameters: SamplingParameters, prompt: readonly number[], topLogprobs: number | null = null) {
    this.parameters = parameters;
    this.#topLogprobs = topLogprobs;
    this.#hasAdjustments = hasAdjustments(parameters);
    if (hasPenalties(parameters)) for (const id of prompt) this.#seen.set(id, 0);
  }

  /**
   * The next token, or null if the constraints allow none. `mask`: the tokens that a grammar allows. `normaliser`: the row's
   * log-sum-exp if the model's graph computed it.
   */
  sample(
    logits_V: Float32Array,
    { mask = null, normaliser }: { mask?: Int32Array | null; normaliser?: number } = {},
  ): Sampled | null {
    const draw = this.#choose(mask || this.#hasAdjustments ? this.#adjusted(logits_V, mask) : logits_V);
    if (draw === null) return null;
    const { id } = draw;
    const top = this.#topLogprobs;
    const logprobs = top === null ? null : logprobsAt(logits_V, id, top, normaliser);
    this.#take(id);
    return { id, logprobs, drawnLogprob: draw.logprob };
  }

  /** How many of the highest logits suffice for the next token; null if the whole row is needed. */
  get topNeeded(): number | null {
    const top = this.#topLogprobs ?? 0;
    return isGreedy(this.parameters) && !this.#hasAdjustments && top >= 0 ? Math.max(top, 1) : null;
  }

  /** The same from the highest logits only. Requires `topNeeded` not to be null, and no grammar. */
  sampleTop(top: TopLogits): Sampled {
    const logprobs = this.#topLogprobs === null ? null : logprobsOfTop(top, this.#topLogprobs);
    this.#take(top.tokens[0]!);
    return { id: top.tokens[0]!, logprobs, drawnLogprob: 0 };
  }

  #choose(logits_V: Float32Array): Draw | null {
    if (isGreedy(this.parameters)) {
      const id = argmax(logits_V);
      return id === -1 ? null : { id, logprob: 0 };
    }
    const filters = { ...this.parameters, temperature: usableTemperature(this.parameters.temperature) };
    return drawToken(logits_V, filters, uniformAt(this.parameters.seed, this.output.length));
  }

  /** A copy, because reported logprobs are those of the raw row. */
  #adjusted(logits_V: Float32Array, mask: Int32Array | null): Float32Array {
    const adjusted_V = scratch(logits_V.length);
    adjusted_V.set(logits_V);
    if (mask) applyMask(adjusted_V, mask);
    if (this.#hasAdjustments) adjustLogits(adjusted_V, this.parameters, this.output, this.#seen);
    return adjusted_V;
  }

  #take(id: number): void {
    this.output.push(id);
    if (hasPenalties(this.parameters)) this.#seen.set(id, (this.#seen.get(id) ?? 0) + 1);
  }
}

/** The best token and its alternatives. Ties beyond the given logits are not counted. */
function logprobsOfTop({ tokens, logits, logSumExp }: TopLogits, wanted: number): PositionLogprobs {
  const entry = (index: number, rank: number) => {
    return { id: tokens[index]!, logprob: Math.max(logits[index]! - logSumExp, logprobMin), rank };
  };
  const ties = Array.from(logits).filter((logit) => logit === logits[0]).length;
  return { token: entry(0, ties), top: Array.from({ length: wanted }, (_, index) => entry(index, index + 1)) };
}

/** Shared by all samplers of a thread, which sample one row at a time. */
let shared_V = new Float32Array(0);

function scratch(length: number): Float32Array {
  if (shared_V.length < length) shared_V = new Float32Array(length);
  return shared_V.subarray(0, length);
}
