import type { AdapterId } from '../adapter-id.ts';
import type { StepRequest, StepResult } from '../runtime/types.ts';
import type { Finish } from '../sampling/finish.ts';
import type { PositionLogprobs, RankedLogprob } from '../sampling/logprobs.ts';
import type { Tenant } from './generation-request.ts';
import type { Sequence } from './sequence.ts';

/** A request under way, with the sequences it has at the moment. The scheduler works on these. */
export type Generation = {
  readonly priority: number;
  readonly tenant: Tenant;
  readonly adapterId: AdapterId | null;
  readonly cacheSalt: string;
  /** Sequences that wait for nothing but their turn; best first. */
  sequences: Sequence[];
  readonly isDone: boolean;
  /** The prompt cannot be taken from earlier requests: each of its tokens has logprobs to report. */
  readonly needsWholePrompt: boolean;
  /** Whether its keys and values are kept for later requests when it ends. */
  readonly keepsPrompt: boolean;
  /** Which results the sequence needs after these tokens, of which the last is its newest or not. */
  wants(sequence: Sequence, tokens: number, isLast: boolean): Pick<StepRequest, 'wanted' | 'reduce' | 'output'>;
  /** At most so many tokens that the sequence may generate next, for a step in which no other sequence takes part. */
  guess(sequence: Sequence, most: number): readonly number[];
  /** How many tokens of a prompt may be computed in one step. */
  chunkMax(sequence: Sequence): number;
  /** Takes the result of a step. Until the promise resolves, the sequence takes part in no step. */
  take(sequence: Sequence, result: StepResult, part: StepPart): Promise<void> | void;
  /** `tokens` of the prompt were computed by an earlier request. */
  reuse(tokens: number): void;
  fail(error: Error): void;
};

/** What a step computed of a sequence. */
export type StepPart = {
  tokens: number;
  /** Whether every token of the sequence is computed. */
  isLast: boolean;
  /** Tokens computed after these on a guess. If there are any, the result has a row for the newest token and for each of them. */
  guess: readonly number[];
};

/** What receives the tokens of a generation. Its sequences are counted from 0. */
export type Sink = {
  /** Once, before all tokens. `logprobs` has an entry for each token of the prompt but the first. */
  promptDone(prompt: { cachedTokens: number; logprobs: RankedLogprob[][] | null }): void;
  /** @returns whether the sequence ends with this token although `finish` is null, as it does at a stop string */
  token(sequence: number, token: GeneratedToken): boolean;
  /** Whether a sequence with a prelude is still in it, after its last token. */
  isInPrelude(sequence: number): boolean;
  /** A sequence ended without another token. */
  sequenceEnded(sequence: number, finish: Finish): void;
  /** Once, last; with the reason if the generation failed. */
  end(error: Error | null): void;
};

export type GeneratedToken = {
  id: number;
  logprobs: PositionLogprobs | null;
  /** Set if the sequence ends with this token. */
  finish: Finish | null;
};

/** The same sink, and what happens when the generation has ended. */
export function withEnd(sink: Sink, onEnd: () => void): Sink {
  return {
    promptDone: (prompt) => sink.promptDone(prompt),
    token: (sequence, token) => sink.token(sequence, token),
    isInPrelude: (sequence) => sink.isInPrelude(sequence),
    sequenceEnded: (sequence, finish) => sink.sequenceEnded(sequence, finish),
    end(error) {
      onEnd();
      sink.end(error);
    },
  };
}
