import type { AdapterId } from '../adapter-id.ts';
import type { StepRequest, StepResult } from '../runtime/types.ts';
import type { Finish } from '../sampling/finish.ts';
import type { PositionLogprobs, RankedLogprob } from '../sampling/logprobs.ts';
import type { Tenant } from './generation-request.ts';
import type { Sequence } from './sequence.ts';

/** A running request with its current sequences. The scheduler works on these. */
export type Generation = {
  readonly priority: number;
  readonly tenant: Tenant;
  readonly adapterId: AdapterId | null;
  readonly cacheSalt: string;
  /** Sequences that are ready and wait only for their turn, best first. */
  sequences: Sequence[];
  readonly isDone: boolean;
  /** Whether the prompt must be computed, because each of its tokens has logprobs to report. */
  readonly needsWholePrompt: boolean;
  /** Whether its keys and values are kept for later requests when it ends. */
  readonly keepsPrompt: boolean;
  /** Which results the sequence needs after these tokens. `isLast`: the last of them is its newest token. */
  wants(sequence: Sequence, tokens: number, isLast: boolean): Pick<StepRequest, 'wanted' | 'reduce' | 'output'>;
  /** At most this many tokens that the sequence is likely to generate next, for a step with no other sequence. */
  guess(sequence: Sequence, most: number): readonly number[];
  /** The maximum number of prompt tokens in one step. */
  chunkMax(sequence: Sequence): number;
  /** Processes the result of a step. Until the promise resolves, the sequence takes no part in steps. */
  take(sequence: Sequence, result: StepResult, part: StepPart): Promise<void> | void;
  /** `tokens` of the prompt were reused from an earlier request. */
  reuse(tokens: number): void;
  fail(error: Error): void;
};

/** What a step computed for a sequence. */
export type StepPart = {
  tokens: number;
  /** Whether every token of the sequence is computed. */
  isLast: boolean;
  /**
   * Guessed tokens computed after these. If there are any, the result has a row for the newest token and for each of
   * them.
   */
  guess: readonly number[];
};

/** Receives the tokens of a generation. Sequences are numbered from 0. */
export type Sink = {
  /** Called once, before all tokens. `logprobs` has an entry for each token of the prompt except the first. */
  promptDone(prompt: { cachedTokens: number; logprobs: RankedLogprob[][] | null }): void;
  /** @returns whether the sequence ends with this token although `finish` is null, as at a stop string */
  token(sequence: number, token: GeneratedToken): boolean;
  /** Whether a sequence is still in its prelude after its last token. */
  isInPrelude(sequence: number): boolean;
  /** After the end of a sequence: the logprobs of its tokens that have none yet; null if they cannot be had. */
  lateLogprobs(sequence: number, logprobs: readonly PositionLogprobs[] | null): void;
  /** After the tokens, if it was not known before them: how many of the prompt were reused from earlier requests. */
  lateCachedTokens(tokens: number): void;
  /** A sequence ended without another token. */
  sequenceEnded(sequence: number, finish: Finish): void;
  /** Called once, last; with the reason if the generation failed. */
  end(error: Error | null): void;
};

export type GeneratedToken = {
  id: number;
  /** `later`: they come with `lateLogprobs`, and the end of the sequence is not reported before. */
  logprobs: PositionLogprobs | 'later' | null;
  /** The token's logprob in the distribution that it was drawn from: 0 for greedy sampling, null if it is not known. */
  drawnLogprob: number | null;
  /** Set if the sequence ends with this token. */
  finish: Finish | null;
};

/** The same sink, with a callback for the end of the generation. */
export function withEnd(sink: Sink, onEnd: () => void): Sink {
  return {
    promptDone: (prompt) => sink.promptDone(prompt),
    token: (sequence, token) => sink.token(sequence, token),
    isInPrelude: (sequence) => sink.isInPrelude(sequence),
    lateLogprobs: (sequence, logprobs) => sink.lateLogprobs(sequence, logprobs),
    lateCachedTokens: (tokens) => sink.lateCachedTokens(tokens),
    sequenceEnded: (sequence, finish) => sink.sequenceEnded(sequence, finish),
    end(error) {
      onEnd();
      sink.end(error);
    },
  };
}
