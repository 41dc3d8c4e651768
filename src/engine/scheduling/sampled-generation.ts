import { type Failure, invalidInput } from '../../util/failures.ts';
import type { GrammarVocabulary } from '../grammars/grammar-requests.ts';
import type { GrammarSession } from '../grammars/grammar-session.ts';
import type { StepRequest, StepResult } from '../runtime/types.ts';
import { finishOf } from '../sampling/finish.ts';
import { type Sampled, Sampler } from '../sampling/sampler.ts';
import type { Generation, Sink, StepPart } from './generation.ts';
import type { Decoding, GenerationRequest } from './generation-request.ts';
import { PromptLogprobCollector } from './prompt-logprobs.ts';
import { PromptLookup } from './prompt-lookup.ts';
import { newSequence, type Sequence } from './sequence.ts';

/** A sequence with the state that chooses its tokens. */
type SampledSequence = Sequence & {
  index: number;
  sampler: Sampler;
  grammar: GrammarSession | null;
  /** Its tokens are still before those that the grammar constrains. */
  isInPrelude: boolean;
  /** Set while the grammar processes the last token, in parallel with the model's next step. */
  accepting: Promise<unknown> | null;
  lookup: PromptLookup;
  isFinished: boolean;
};

export type SampledGenerationOptions = {
  vocabSize: number;
  /** How many tokens may be guessed at once. */
  guessMax: number;
  /** One for each sequence, or none. */
  grammars: (GrammarSession | null)[];
  sink: Sink;
  /** Releases what the engine holds for a sequence. */
  release(sequence: Sequence): void;
};

/** Samples the sequences of a request. The prompt is computed once, and all sequences continue from it. */
export class SampledGeneration implements Generation {
  readonly priority;
  readonly tenant;
  readonly adapterId;
  readonly cacheSalt;
  sequences: Sequence[];
  isDone = false;
  readonly keepsPrompt = true;
  readonly #request: GenerationRequest;
  readonly #options: SampledGenerationOptions;
  readonly #all: SampledSequence[];
  readonly #promptLogprobs: PromptLogprobCollector | null;
  #hasPrompt = false;
  #cachedTokens = 0;
  #preludeMask: Int32Array | null = null;

  constructor(
    request: GenerationRequest,
    { parameters, seeds }: Decoding & { kind: 'sampling' },
    options: SampledGenerationOptions,
  ) {
    this.#request = request;
    this.#options = options;
    this.priority = request.priority;
    this.tenant = request.tenant;
    this.adapterId = request.adapter?.id ?? null;
    this.cacheSalt = request.cacheSalt;
    const { promptIds, promptLogprobs, topLogprobs } = request;
    this.#all = seeds.map((seed, index): SampledSequence => {
      const sampler = new Sampler({ ...parameters, seed }, promptIds, topLogprobs);
      return {
        ...newSequence(this, promptIds, sampler.output),
        index,
        sampler,
        grammar: options.grammars[index] ?? null,
        isInPrelude: request.constraint?.prelude?.isOpen ?? false,
        accepting: null,
        lookup: new PromptLookup(options.guessMax),
        isFinished: false,
      };
    });
    this.sequences = [this.#all[0]!];
    this.#promptLogprobs =
      promptLogprobs === null ? null : new PromptLogprobCollector(promptIds, promptLogprobs, options.vocabSize);
  }

  get needsWholePrompt(): boolean {
    return this.#promptLogprobs !== null && !this.#promptLogprobs.isComplete;
  }

  chunkMax(): number {
    return this.needsWholePrompt ? this.#promptLogprobs!.rowsMax : Number.POSITIVE_INFINITY;
  }

  wants(sequence: Sequence, _tokens: number, isLast: boolean): Pick<StepRequest, 'wanted' | 'reduce'> {
    if (this.needsWholePrompt) return { wanted: 'all' };
    if (!isLast) return { wanted: 'none' };
    const { grammar, sampler } = sequence as SampledSequence;
    const top = grammar ? null : sampler.topNeeded;
    return top === null ? { wanted: 'last' } : { wanted: 'last', reduce: { top } };
  }

  take(taken: Sequence, result: StepResult, { tokens, isLast, guess }: StepPart): Promise<void> | void {
    const sequence = taken as SampledSequence;
    if (this.needsWholePrompt) this.#promptLogprobs!.take(result, tokens);
    if (!isLast) return;
    if (!this.#hasPrompt) this.#begin(result);
    else if (guess.length > 0) this.#advanceGuessed(sequence, result, guess);
    else if (sequence.accepting) return this.#advanceLater(sequence, result);
    else this.#advance(sequence, result);
    this.#endIfFinished();
  }

  /** Not with a grammar, which decides only after each token what may come next. */
  guess(sequence: Sequence, most: number): readonly number[] {
    const { grammar, lookup } = sequence as SampledSequence;
    return grammar === null && this.#all.length === 1 ? lookup.guess(sequence, most) : [];
  }

  reuse(tokens: number): void {
    this.#cachedTokens = tokens;
  }

  fail(error: Error): void {
    if (!this.isDone) this.#end(error);
  }

  /** The prompt is computed: every sequence chooses its first token from it. */
  #begin(result: StepResult): void {
    this.#hasPrompt = true;
    const logprobs = this.#promptLogprobs?.positions ?? null;
    this.#options.sink.promptDone({ cachedTokens: this.#cachedTokens, logprobs });
    const last = lastRow(result, this.#options.vocabSize);
    // The first sequence keeps its keys and values until all have their token, because the others continue from them.
    for (const sequence of this.#all) this.#advance(sequence, last);
    const going = this.#all.filter(({ isFinished }) => !isFinished);
    const first = this.#all[0]!;
    if (going.length > 0 && first.isFinished) {
      going[0]!.cached = first.cached;
      first.cached = null;
    }
    this.sequences = going.length > 0 ? going : [first];
  }

  /** The grammar has not yet computed which tokens may come next. */
  async #advanceLater(sequence: SampledSequence, result: StepResult): Promise<void> {
    await sequence.accepting;
    if (this.isDone) return;
    this.#advance(sequence, result);
    this.#endIfFinished();
  }

  /**
   * Chooses a token from each row as long as the guessed ones are right. Each is chosen as it would be without a guess,
   * so guesses do not change the distribution.
   */
  #advanceGuessed(sequence: SampledSequence, result: StepResult, guess: readonly number[]): void {
    let right = 0;
    for (let row = 0; row === right && row <= guess.length && !sequence.isFinished && !this.isDone; row++) {
      this.#advance(sequence, rowOf(result, row, guess.length + 1));
      if (sequence.output.at(-1) === guess[row]) right++;
    }
    sequence.lookup.learn(guess.length, right);
  }

  #advance(sequence: SampledSequence, result: StepResult): void {
    const grammar = sequence.isInPrelude ? null : sequence.grammar;
    const isComplete = grammar?.mask === null;
    const sampled = isComplete ? null : this.#sample(sequence, result);
    if (sampled) this.#push(sequence, sampled);
    else if (grammar?.mayEnd) {
      sequence.isFinished = true;
      this.#options.sink.sequenceEnded(sequence.index, { finishReason: 'stop', stopReason: null });
    } else throw noTokenLeft();
    if (sequence.isFinished) this.#leave(sequence);
  }

  #push(sequence: SampledSequence, { id, logprobs, drawnLogprob }: Sampled): void {
    const { rules, promptIds } = this.#request;
    const finish = finishOf(sequence.output, promptIds.length, rules);
    const isStopped = this.#options.sink.token(sequence.index, { id, logprobs, drawnLogprob, finish });
    sequence.isFinished = isStopped || finish !== null;
    if (!sequence.grammar || sequence.isFinished) return;
    if (sequence.isInPrelude) sequence.isInPrelude = this.#options.sink.isInPrelude(sequence.index);
    else if (this.#mayOpenPrelude(sequence, 1) && id === this.#request.constraint!.prelude!.openingId) {
      sequence.isInPrelude = true;
    } else sequence.accepting = accepting(sequence, sequence.grammar, id);
  }

  /** Whether the token that brings the output to this length may open a prelude. */
  #mayOpenPrelude({ output }: SampledSequence, length: number): boolean {
    const prelude = this.#request.constraint?.prelude;
    return output.length === length && prelude !== null && prelude !== undefined && !prelude.isOpen;
  }

  /** Which tokens may come next; null for all. */
  #mask(sequence: SampledSequence): Int32Array | null {
    const { grammar, isInPrelude } = sequence;
    if (!grammar) return null;
    const { prelude, vocabulary } = this.#request.constraint!;
    if (isInPrelude) {
      this.#preludeMask ??= maskWithoutEnds(vocabulary);
      return this.#preludeMask;
    }
    if (!this.#mayOpenPrelude(sequence, 0) || prelude!.openingId === null) return grammar.mask;
    const mask = grammar.mask!.slice();
    mask[prelude!.openingId >>> 5]! |= 1 << (prelude!.openingId & 31);
    return mask;
  }

  #sample(sequence: SampledSequence, result: StepResult): Sampled | null {
    const { sampler } = sequence;
    const row = lastRow(result, this.#options.vocabSize);
    if (row.kind === 'logits') return sampler.sample(row.logits, { mask: this.#mask(sequence) });
    if (row.kind !== 'reduced') throw new Error(`a step returned ${row.kind}, expected logits`);
    return sampler.sampleTop({ tokens: row.topTokens, logits: row.topLogits, logSumExp: row.logSumExp[0]! });
  }

  #leave(sequence: SampledSequence): void {
    sequence.grammar?.close();
    if (!this.#hasPrompt || this.sequences.length === 1 || !this.sequences.includes(sequence)) return;
    this.#options.release(sequence);
    this.sequences = this.sequences.filter((other) => other !== sequence);
  }

  #endIfFinished(): void {
    if (!this.isDone && this.#all.every(({ isFinished }) => isFinished)) this.#end(null);
  }

  #end(error: Error | null): void {
    this.isDone = true;
    for (const { grammar } of this.#all) grammar?.close();
    this.#options.sink.end(error);
  }
}

function accepting(sequence: SampledSequence, grammar: GrammarSession, token: number): Promise<unknown> {
  const accepted = grammar.accept(token).then(() => {
    sequence.accepting = null;
  });
  accepted.catch(() => {}); // the error is thrown where it is awaited
  return accepted;
}

/** All tokens except those that end the output. */
function maskWithoutEnds({ tokens, stopTokenIds }: GrammarVocabulary): Int32Array {
  const mask = new Int32Array(Math.ceil(tokens.length / 32)).fill(-1);
  const beyond = tokens.length & 31;
  if (beyond !== 0) mask[mask.length - 1] = 2 ** beyond - 1;
  for (const id of stopTokenIds) mask[id >>> 5]! &= ~(1 << (id & 31));
  return mask;
}

/** The row of the last token, if there are rows for all tokens. */
function lastRow(result: StepResult, vocabSize: number): StepResult {
  if (result.kind !== 'logits' || result.logits.length === vocabSize) return result;
  const rows = result.logits.length / vocabSize;
  return rowOf(result, rows - 1, rows);
}

/** One of the rows of a result. */
function rowOf(result: StepResult, row: number, rows: number): StepResult {
  const part = <T extends Float32Array | Int32Array>(all: T): T => {
    const size = all.length / rows;
    return all.subarray(row * size, (row + 1) * size) as T;
  };
  if (result.kind === 'logits') return { kind: 'logits', logits: part(result.logits) };
  if (result.kind !== 'reduced') return result;
  const { topTokens, topLogits, logSumExp, targetLogits } = result;
  return {
    kind: 'reduced',
    topTokens: part(topTokens),
    topLogits: part(topLogits),
    logSumExp: part(logSumExp),
    targetLogits: part(targetLogits),
  };
}

function noTokenLeft(): Failure {
  return invalidInput(
    'No token is left to choose: the constraints contradict each other. ' +
      'Check allowed_token_ids, bad_words, min_tokens, response_format and structured_outputs.',
  );
}
