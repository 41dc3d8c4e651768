import type { StepRequest, StepResult } from '../runtime/types.ts';
import { BeamSearch, type Candidate, type FinishedBeam } from '../sampling/beam-search.ts';
import type { Generation, Sink, StepPart } from './generation.ts';
import type { Decoding, GenerationRequest } from './generation-request.ts';
import { newSequence, type Sequence } from './sequence.ts';

export type BeamGenerationOptions = {
  vocabSize: number;
  sink: Sink;
  /** Releases what the engine holds for a sequence. */
  release(sequence: Sequence): void;
};

/** Beam search: all live beams advance by one token, then the best are kept. */
export class BeamGeneration implements Generation {
  readonly priority;
  readonly tenant;
  readonly adapterId;
  readonly cacheSalt;
  readonly needsWholePrompt = false;
  sequences: Sequence[];
  isDone = false;
  readonly keepsPrompt = true;
  readonly #request: GenerationRequest;
  readonly #options: BeamGenerationOptions;
  readonly #search: BeamSearch;
  readonly #width: number;
  /** The results of this round's steps. */
  readonly #candidates = new Map<Sequence, Candidate[]>();
  #steps = 0;
  #cachedTokens = 0;

  constructor(
    request: GenerationRequest,
    { width, lengthPenalty, includesStop }: Decoding & { kind: 'beams' },
    options: BeamGenerationOptions,
  ) {
    this.#request = request;
    this.#options = options;
    this.priority = request.priority;
    this.tenant = request.tenant;
    this.adapterId = request.adapter?.id ?? null;
    this.cacheSalt = request.cacheSalt;
    this.#width = width;
    this.sequences = [this.#sequence([])];
    const { eosId, ignoreEos } = request.rules;
    const promptLength = request.promptIds.length;
    this.#search = new BeamSearch({ width, lengthPenalty, promptLength, eosId, ignoreEos, includesStop });
  }

  chunkMax(): number {
    return Number.POSITIVE_INFINITY;
  }

  guess(): number[] {
    return [];
  }

  wants(_sequence: Sequence, _tokens: number, isLast: boolean): Pick<StepRequest, 'wanted' | 'reduce'> {
    const top = Math.min(2 * this.#width, this.#options.vocabSize);
    return isLast ? { wanted: 'last', reduce: { top } } : { wanted: 'none' };
  }

  take(sequence: Sequence, result: StepResult, { isLast }: StepPart): void {
    if (!isLast) return;
    if (result.kind !== 'reduced') throw new Error(`a step returned ${result.kind}, expected the best tokens`);
    const { topTokens, topLogits, logSumExp } = result;
    const candidates = Array.from(topTokens, (id, at) => ({ id, logprob: topLogits[at]! - logSumExp[0]! }));
    this.#candidates.set(sequence, candidates);
    if (this.#candidates.size === this.sequences.length) this.#grow();
  }

  reuse(tokens: number): void {
    this.#cachedTokens = tokens;
  }

  fail(error: Error): void {
    if (this.isDone) return;
    this.isDone = true;
    this.#options.sink.end(error);
  }

  /** Each kept beam continues in the sequence it came from; if several came from one, the others fork it. */
  #grow(): void {
    const parents = this.#search.step(this.sequences.map((sequence) => this.#candidates.get(sequence)!));
    this.#candidates.clear();
    if (this.#steps++ === 0) this.#options.sink.promptDone({ cachedTokens: this.#cachedTokens, logprobs: null });
    const isOver = this.#search.live.length === 0 || this.#steps === this.#request.rules.maxTokens;
    if (isOver) this.#finish();
    else this.#branch(parents);
  }

  #branch(parents: readonly number[]): void {
    const before = this.sequences;
    const heirs = new Set<Sequence>();
    this.sequences = this.#search.live.map(({ tokens }, at) => {
      const parent = before[parents[at]!]!;
      const sequence = this.#sequence(tokens);
      if (heirs.has(parent)) return sequence;
      heirs.add(parent);
      sequence.cached = parent.cached;
      return sequence;
    });
    for (const sequence of before) if (!heirs.has(sequence)) this.#options.release(sequence);
  }

  #finish(): void {
    for (const [index, beam] of this.#search.results().entries()) this.#emit(index, beam);
    this.isDone = true;
    this.#options.sink.end(null);
  }

  #emit(index: number, { tokens, logprobs, finishReason, stopReason }: FinishedBeam): void {
    const { sink } = this.#options;
    const reportsLogprobs = this.#request.topLogprobs !== null;
    for (const [at, id] of tokens.entries()) {
      const token = { id, logprob: logprobs[at]!, rank: 0 };
      const reported = reportsLogprobs ? { token, top: [] } : null;
      sink.token(index, { id, logprobs: reported, drawnLogprob: null, finish: null });
    }
    sink.sequenceEnded(index, { finishReason, stopReason });
  }

  #sequence(output: readonly number[]): Sequence {
    return newSequence(this, this.#request.promptIds, output);
  }
}
